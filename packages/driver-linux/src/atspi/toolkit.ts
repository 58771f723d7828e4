/** Where a toolkit does otherwise than GTK 3, by which the rest is written. */
export interface Toolkit {
  /** Its places count from its window, not from the screen. */
  isRelative: boolean
  /** It says which of its widgets are on the screen. */
  tellsShowing: boolean
  /** It tells when children come and go. */
  tellsChildren: boolean
  /** Places in a text count UTF-16 units, not characters. */
  countsUtf16: boolean
  /** What stands for the end of a text. */
  endOfText: number
}

const USUAL: Toolkit = { isRelative: false, tellsShowing: true, tellsChildren: true, countsUtf16: false, endOfText: -1 }

/** GTK 3 calls itself "gtk", GTK 4 "GTK". */
export function toolkitOf(name: string | undefined): Toolkit {
  switch (name) {
    case 'GTK':
      // Asked for a text up to -1, its entries answer nothing.
      return { ...USUAL, isRelative: true, tellsShowing: false, endOfText: 0x7fffffff }
    case 'Qt':
      return { ...USUAL, tellsChildren: false, countsUtf16: true }
    case 'VCL':
    case 'Chromium':
      return { ...USUAL, countsUtf16: true }
    default:
      return USUAL
  }
}
