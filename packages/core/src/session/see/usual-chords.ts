import { chordKey } from '../../model/index.ts'
import { fold } from '../../policy/index.ts'

/** What chords usually mean, in the languages of the risk words. */
// oxfmt-ignore
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  'ctrl+s': ['save', 'speichern', 'enregistrer', 'sauvegarder', 'guardar', 'salvar', 'salva', 'opslaan', 'zapisz', 'сохранить', 'kaydet', '保存', '저장', 'حفظ', 'सहेजें'],
  'ctrl+p': ['print', 'drucken', 'imprimer', 'imprimir', 'stampa', 'afdrukken', 'drukuj', 'печать', 'yazdır', '打印', '印刷', '인쇄', 'طباعة', 'प्रिंट'],
  'ctrl+o': ['open', 'öffnen', 'ouvrir', 'abrir', 'apri', 'openen', 'otwórz', 'открыть', 'aç', '打开', '開く', '열기', 'فتح', 'खोलें'],
  'ctrl+n': ['new', 'neu', 'nouveau', 'nuevo', 'novo', 'nuovo', 'nieuw', 'nowy', 'новый', 'yeni', '新建', '新規', '새', 'جديد', 'नया'],
}
const PATTERNS = new Map(
  Object.entries(MEANINGS).map(([chord, words]) => [chordKey(chord), new RegExp(`^(?:${words.map(fold).join('|')})(?!\\p{L})`, 'u')]),
)

/** What the way out of a dialog is called, in the languages of the risk words. */
// oxfmt-ignore
const WAYS_OUT = [
  'cancel', 'close', 'no', 'dismiss', 'abort', 'abbrechen', 'schließen', 'nein', 'annuler', 'fermer', 'non', 'cancelar', 'cerrar', 'fechar', 'não', 'annulla', 'chiudi',
  'annuleren', 'sluiten', 'nee', 'anuluj', 'zamknij', 'nie', 'отмена', 'отменить', 'закрыть', 'нет', 'iptal', 'kapat', 'hayır', '取消', '关闭', '否', 'キャンセル', '閉じる', 'いいえ', '취소', '닫기', '아니요',
  'إلغاء', 'إغلاق', 'لا', 'रद्द करें', 'बंद करें', 'नहीं',
]
const WAY_OUT = new RegExp(`^(?:${WAYS_OUT.map(fold).join('|')})(?!\\p{L})`, 'u')

/** Whether a button is called as one that leaves a dialog without doing what it asks about. */
export const isWayOut = (name: string | undefined): boolean => name !== undefined && WAY_OUT.test(fold(name))

/** Whether a control is called what a chord usually means: it is what the chord presses. */
export const meansChord = (name: string | undefined, chord: string): boolean =>
  name !== undefined && PATTERNS.get(chord.replace('Shift+', ''))?.test(fold(name)) === true
