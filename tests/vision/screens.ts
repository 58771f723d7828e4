import type { Page } from './pages.ts'

interface Text {
  language: string
  lines: string[]
  buttons: string[]
}

// oxfmt-ignore
export const TEXTS: readonly Text[] = [
  { language: 'en', lines: ['The parcel was handed over to the neighbour on Thursday morning.', 'Choose a folder for 1,250 photos (about 3.4 GB), then press Continue.', 'Warning: this cannot be undone. Order #48-1093 is due on 12/05/2026.'], buttons: ['Continue', 'Cancel', 'Apply', 'Remove', 'Settings'] },
  { language: 'de', lines: ['Möchten Sie die Änderungen vor dem Schließen speichern?', 'Größe und Währung der Überweisung prüfen: 1.250,00 €', 'Die Straße ist für Fußgänger geöffnet.'], buttons: ['Löschen', 'Schließen', 'Übernehmen'] },
  { language: 'fr', lines: ['Voulez-vous enregistrer les modifications avant de fermer ?', 'Le garçon a reçu une pièce à l’hôtel où il dîne.', 'Réinitialiser le mot de passe oublié'], buttons: ['Précédent', 'Créer', 'Fermer'] },
  { language: 'es', lines: ['El niño pequeño durmió toda la mañana en el sofá.', 'Configuración avanzada de la cámara y del micrófono', 'Añadir una dirección de envío'], buttons: ['Añadir', 'Según', 'Cerrar'] },
  { language: 'zh', lines: ['请选择要打开的文件夹', '是否保存对文档的更改', '打印预览 页面设置'], buttons: ['确定', '取消', '删除'] },
  { language: 'ja', lines: ['変更を保存しますか', 'ファイルを開く', 'パスワードを入力してください'], buttons: ['キャンセル', '保存', '削除する'] },
  { language: 'ko', lines: ['변경 내용을 저장하시겠습니까', '파일을 선택하십시오', '비밀번호를 입력하세요'], buttons: ['취소', '저장', '확인'] },
]

/** Every text light and dark, small and large, in several fonts. */
export function pagesOf(text: Text): Page[] {
  const fonts = ['zh', 'ja', 'ko'].includes(text.language)
    ? ['Noto Sans SC Variable']
    : ['DejaVu Sans', 'Nimbus Roman', 'URW Gothic', 'DejaVu Sans Mono']
  const sizes = [
    [14, false],
    [14, true],
    [28, false],
  ] as const
  return sizes.flatMap(([size, dark], i) =>
    fonts.filter((_, f) => fonts.length === 1 || f % 3 === i % 3 || size === 14).map((font) => ({ ...text, font, size, dark })),
  )
}
