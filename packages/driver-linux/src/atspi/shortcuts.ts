import { parseChord } from '@deskhand/core/model'

/** What GTK and Qt call the modifiers. */
const MODIFIERS: Readonly<Record<string, string>> = {
  alt: 'alt',
  mod1: 'alt',
  control: 'ctrl',
  ctrl: 'ctrl',
  ctl: 'ctrl',
  primary: 'ctrl',
  shift: 'shift',
  super: 'super',
  meta: 'super',
}

/**
 * The chords in an action's key binding. GTK tells `<Alt>d`, and of an entry of a menu `mnemonic;path through the menus;accelerator`, as in
 * `n;<Alt>f:n;<Control>n`; Qt tells `Alt+D` or `Ctrl+Shift+S`. The path is several keys, so it is no chord.
 */
export function shortcutsIn(binding: string): string[] {
  const found = binding
    .slice(0, 200)
    .split(';')
    .filter((part) => part !== '' && !part.includes(':'))
    .map(chordOf)
  return [...new Set(found.filter((chord) => chord !== undefined))]
}

function chordOf(part: string): string | undefined {
  const held: string[] = []
  const rest = part.replaceAll(/<([A-Za-z0-9]+)>/g, (_, name: string) => {
    const modifier = MODIFIERS[name.toLowerCase()]
    if (modifier !== undefined) held.push(modifier)
    return ''
  })
  const chord = [...held, rest.replace(/^KP_/, '')].join('+').toLowerCase()
  return parseChord(chord) === undefined ? undefined : chord
}
