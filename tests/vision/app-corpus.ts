import { fixture, PYTHON } from '../support/linux.ts'
import type { AppScreen } from './app-screens.ts'

const zenity = (name: string, language: string, args: string[], more: Partial<AppScreen> = {}): AppScreen => ({
  name: `zenity ${name}`,
  title: '',
  command: 'zenity',
  args,
  language,
  ...more,
})
const program = (file: string, more: Partial<AppScreen> = {}): AppScreen => ({
  name: file,
  title: '',
  command: PYTHON,
  args: [fixture(file)],
  language: 'en',
  ...more,
})

const FORMS: Readonly<Record<'en' | 'de' | 'fr' | 'es', string[]>> = {
  en: ['--forms', '--text=New member', '--add-entry=Surname', '--add-entry=Town', '--add-password=Password', '--add-combo=Plan'],
  de: ['--forms', '--text=Neues Mitglied', '--add-entry=Nachname', '--add-entry=Straße', '--add-entry=Größe', '--add-combo=Währung'],
  fr: ['--forms', '--text=Nouveau membre', '--add-entry=Prénom', '--add-entry=Code postal', '--add-combo=Forfait'],
  es: ['--forms', '--text=Nuevo miembro', '--add-entry=Apellido', '--add-entry=Dirección', '--add-combo=País'],
}

/** The windows by which the rules for shapes were made. */
export const LOOKED_AT: readonly AppScreen[] = [
  { name: 'widget factory', title: '', command: 'gtk3-widget-factory', args: [], language: 'en' },
  { name: 'widget factory, dark', title: '', command: 'gtk3-widget-factory', args: [], language: 'en', dark: true },
  zenity('forms', 'en', [
    '--forms',
    '--text=Enter the details',
    '--add-entry=First name',
    '--add-entry=Family name',
    '--add-combo=Country',
  ]),
  zenity('list', 'en', [
    '--list',
    '--text=Choose fruit',
    '--column=Fruit',
    '--column=Price',
    'Apple',
    '1.20',
    'Pear',
    '2.30',
    'Plum',
    '3.40',
  ]),
  { name: 'kcalc', title: '', command: 'kcalc', args: [], language: 'en' },
  program('widgets_qt5.py'),
  program('states_gtk3.py'),
]

/** Windows that were chosen when the rules were done, and never looked at before. */
export const HELD_OUT: readonly AppScreen[] = [
  ...(['en', 'de', 'fr', 'es'] as const).map((language, i) =>
    zenity(`forms ${language}`, language, FORMS[language], { dark: i % 2 === 1, large: i % 3 === 2 }),
  ),
  zenity('question', 'de', ['--question', '--text=Sollen die Änderungen verworfen werden?'], { dark: true }),
  zenity('entry', 'fr', ['--entry', '--text=Nom du nouveau dossier', '--entry-text=Élèves'], { large: true }),
  zenity('calendar', 'es', ['--calendar', '--text=Elija una fecha']),
  zenity('radio list', 'en', [
    '--list',
    '--radiolist',
    '--text=Paper',
    '--column=',
    '--column=Size',
    'TRUE',
    'A4',
    'FALSE',
    'Letter',
    'FALSE',
    'Legal',
  ]),
  program('contract_gtk3.py'),
  program('contract_gtk3.py', { name: 'contract_gtk3.py, dark and large', dark: true, large: true }),
  program('contract_qt5.py'),
  program('register_gtk3.py', { dark: true }),
  { name: 'file manager', title: '', command: 'thunar', args: [], language: 'fr' },
  { name: 'file manager of Qt', title: '', command: 'pcmanfm-qt', args: ['/'], language: 'en' },
  { name: 'editor', title: '', command: 'mousepad', args: ['--preferences'], language: 'de' },
]
