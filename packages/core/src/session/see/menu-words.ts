import { PRESSED, type UiNode } from '../../model/index.ts'
import { fold } from '../../policy/index.ts'

/** Whether a menu's entry changes the text that has the caret. */
export const editsText = ({ role, name }: Pick<UiNode, 'role' | 'name'>): boolean =>
  role.startsWith('menuitem') && name !== undefined && EDITS.test(fold(name))

/** Whether a button or an entry of a menu is called as one that copies what is selected. */
export const copiesByName = (control: Pick<UiNode, 'role' | 'name'>): boolean => isCalled(control, COPIES)

/** Whether a button or an entry of a menu is called as one that pastes what is on the clipboard. */
export const pastesByName = (control: Pick<UiNode, 'role' | 'name'>): boolean => isCalled(control, PASTES)

const isCalled = ({ role, name }: Pick<UiNode, 'role' | 'name'>, words: RegExp): boolean =>
  name !== undefined && (PRESSED.has(role) || role.startsWith('menuitem')) && words.test(fold(name))

/** At the start of a name, behind the mark of a mnemonic. */
const called = (...words: readonly (readonly string[])[]): RegExp =>
  new RegExp(`^_?(?:${words.flat().map(fold).join('|')})(?!\\p{Script=Latin})`, 'u')

// All of these in the languages of the risk words.
// oxfmt-ignore
const CUT = [
  'cut', 'ausschneiden', 'couper', 'cortar', 'recortar', 'taglia', 'knippen', 'wytnij', 'вырезать', 'kes', '剪切', '切り取り', '잘라내기', 'قص', 'काटें',
]
// oxfmt-ignore
const COPY = [
  'copy', 'kopieren', 'copier', 'copiar', 'copia', 'kopiëren', 'kopiuj', 'копировать', 'скопировать', 'kopyala', '复制', 'コピー', '복사', 'نسخ', 'कॉपी', 'प्रतिलिपि',
]
// oxfmt-ignore
const PASTE = [
  'paste', 'einfügen', 'coller', 'pegar', 'colar', 'incolla', 'plakken', 'wklej', 'вставить', 'yapıştır', '粘贴', '貼り付け', '붙여넣기', 'لصق', 'चिपकाएँ', 'पेस्ट',
]
// oxfmt-ignore
const OTHERS = [
  'delete', 'undo', 'redo', 'clear', 'insert', 'replace', 'löschen', 'rückgängig', 'wiederherstellen', 'wiederholen', 'supprimer', 'annuler', 'rétablir', 'effacer',
  'insérer', 'eliminar', 'borrar', 'deshacer', 'rehacer', 'insertar', 'excluir', 'apagar', 'desfazer', 'refazer', 'inserir', 'elimina', 'annulla', 'ripeti', 'ripristina',
  'inserisci', 'verwijderen', 'wissen', 'ongedaan', 'opnieuw', 'invoegen', 'usuń', 'cofnij', 'ponów', 'wstaw', 'удалить', 'отменить', 'повторить', 'вернуть', 'sil',
  'geri al', 'yinele', 'ekle', '删除', '撤销', '撤消', '重做', '插入', '削除', '元に戻す', 'やり直', '挿入', '삭제', '실행 취소', '다시 실행', 'حذف', 'تراجع', 'हटाएँ', 'पूर्ववत',
]
const COPIES = called(COPY, CUT)
const PASTES = called(PASTE)
const EDITS = called(CUT, PASTE, OTHERS)
