import { HELD_OUT, LOOKED_AT } from './app-corpus.ts'
import type { AppScreen } from './app-screens.ts'

/** What dialogs say in one language: a question, two fields and a list, the name of a folder and a row of choices. */
interface Words {
  question: string
  fields: readonly string[]
  title: string
  columns: readonly string[]
  rows: readonly string[]
  entry: readonly [text: string, value: string]
  note: string
}

// oxfmt-ignore
const WORDS: Readonly<Record<string, Words>> = {
  en: { question: 'Do you want to replace the older file?', fields: ['First name', 'Postal code'], title: 'New customer', columns: ['Choice', 'Item', 'Price'], rows: ['Bread', '2.40', 'Cheese', '5.10'], entry: ['Name of the new folder', 'Invoices'], note: 'The copy is finished. Nothing else has to be done.' },
  de: { question: 'Möchten Sie die ältere Datei überschreiben?', fields: ['Vorname', 'Postleitzahl'], title: 'Neuer Kunde', columns: ['Wahl', 'Ware', 'Preis'], rows: ['Brötchen', '0,45', 'Käse', '5,10'], entry: ['Name des neuen Ordners', 'Verträge'], note: 'Die Prüfung ist abgeschlossen. Es wurden keine Fehler gefunden.' },
  fr: { question: 'Voulez-vous remplacer le fichier existant ?', fields: ['Prénom', 'Adresse'], title: 'Nouveau client', columns: ['Choix', 'Article', 'Prix'], rows: ['Pâté', '3,20', 'Crème', '1,90'], entry: ['Nom du dossier', 'Élèves'], note: 'La vérification est terminée. Aucune erreur trouvée.' },
  es: { question: '¿Desea guardar los cambios antes de salir?', fields: ['Apellido', 'Dirección'], title: 'Nuevo cliente', columns: ['Opción', 'Artículo', 'Precio'], rows: ['Jamón', '9,80', 'Piña', '2,30'], entry: ['Nombre de la carpeta', 'Exámenes'], note: 'La operación ha terminado. No se encontraron errores.' },
  zh: { question: '是否替换现有的文件', fields: ['姓名', '邮政编码'], title: '新客户', columns: ['选择', '商品', '价格'], rows: ['面包', '2.40', '苹果', '5.10'], entry: ['新文件夹的名称', '发票'], note: '检查已经完成' },
  ja: { question: '変更を保存しますか', fields: ['名前', '郵便番号'], title: '新しい顧客', columns: ['選択', '商品', '価格'], rows: ['りんご', '240', 'みかん', '510'], entry: ['フォルダの名前', '請求書'], note: '確認が終わりました' },
  ko: { question: '변경 내용을 저장할까요', fields: ['이름', '우편번호'], title: '새로운 고객', columns: ['선택', '상품', '가격'], rows: ['사과', '240', '포도', '510'], entry: ['새 폴더의 이름', '계산서'], note: '검사를 마쳤습니다' },
}

const dialogs = ([language, words]: [string, Words], n: number): AppScreen[] => {
  const [first = '', second = '', third = '', fourth = ''] = words.rows
  const all: [string, string[]][] = [
    ['question', ['--question', `--text=${words.question}`]],
    ['form', ['--forms', `--text=${words.title}`, ...words.fields.map((f) => `--add-entry=${f}`)]],
    [
      'list',
      [
        '--list',
        '--checklist',
        ...words.columns.map((c) => `--column=${c}`),
        'TRUE',
        first,
        second,
        'FALSE',
        third,
        fourth,
        '--width=400',
        '--height=320',
      ],
    ],
    ['entry', ['--entry', `--text=${words.entry[0]}`, `--entry-text=${words.entry[1]}`]],
    ['note', ['--info', `--text=${words.note}`]],
    ['scale', ['--scale', `--text=${words.title}`, '--value=40']],
  ]
  return all.map(([name, args], i) => ({
    name: `zenity ${name} ${language}`,
    title: '',
    command: 'zenity',
    args,
    language,
    dark: (i + n) % 3 === 1,
    large: (i + n) % 3 === 2,
  }))
}

/** Screens of real applications whose words are counted, those of `app-corpus.ts` among them: 64 in all. */
export const SCREENS: readonly AppScreen[] = [...LOOKED_AT, ...HELD_OUT, ...Object.entries(WORDS).flatMap(dialogs)]
