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

/** Whether a control is called what a chord usually means: it is what the chord presses. */
export const meansChord = (name: string | undefined, chord: string): boolean =>
  name !== undefined && PATTERNS.get(chord.replace('Shift+', ''))?.test(fold(name)) === true
