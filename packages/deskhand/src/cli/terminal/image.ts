/** A place on the screen in rows and columns, from 0. */
export interface Area {
  row: number
  column: number
  rows: number
  columns: number
}

/** Writes a PNG file into an area of the terminal, or clears it away without one. */
export type Draw = (png: Uint8Array | undefined, area: Area) => string

/** How this terminal shows pictures; undefined where it cannot, or where a multiplexer stands between. */
export function inlineImages(env: NodeJS.ProcessEnv): Draw | undefined {
  if (env['TMUX'] !== undefined || env['STY'] !== undefined) return undefined
  if (env['KITTY_WINDOW_ID'] !== undefined || env['TERM'] === 'xterm-kitty' || env['TERM_PROGRAM'] === 'ghostty') return kitty
  if (env['TERM_PROGRAM'] === 'iTerm.app' || env['TERM_PROGRAM'] === 'WezTerm') return iterm
  return undefined
}

const CHUNK = 4096

/** One picture of ours, replaced as a whole; it says nothing back, and leaves the cursor alone. */
const kitty: Draw = (png, area) => {
  const clear = '\u001b_Ga=d,d=I,i=77,q=2\u001b\\'
  if (png === undefined) return clear
  const base64 = Buffer.from(png).toString('base64')
  const parts: string[] = []
  for (let at = 0; at < base64.length; at += CHUNK) {
    const head = at === 0 ? `a=T,f=100,i=77,q=2,C=1,r=${area.rows},` : ''
    parts.push(`\u001b_G${head}m=${at + CHUNK < base64.length ? 1 : 0};${base64.slice(at, at + CHUNK)}\u001b\\`)
  }
  return `${clear}${goTo(area)}${parts.join('')}`
}

/** Text that is written over it takes it away again. */
const iterm: Draw = (png, area) => {
  if (png === undefined) return ''
  const about = `inline=1;size=${png.length};width=${area.columns};height=${area.rows};preserveAspectRatio=1;doNotMoveCursor=1`
  return `${goTo(area)}\u001b]1337;File=${about}:${Buffer.from(png).toString('base64')}\u0007`
}

const goTo = ({ row, column }: Area): string => `\u001b[${row + 1};${column + 1}H`
