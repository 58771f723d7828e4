/** Where a toolkit does otherwise than GTK 3, by which the rest is written. */
export interface Toolkit {
  /** Its places count from its window, not from the screen. */
  isRelative: boolean
  /** The places of some of its widgets are wrong by one and the same distance. */
  isDisplaced: boolean
  /** It says which of its widgets are on the screen. */
  tellsShowing: boolean
  /** Which of its widgets do not tell when children come and go. */
  silent: 'none' | 'panels' | 'all'
  /** It makes new objects for the rows of a tree whenever it lists them; those made before stand for their row as well. */
  remakesRows: boolean
  /** It tells a place of rows of its lists that it keeps and does not show, and not in which order its rows stand. */
  keepsUnshownRows: boolean
  /** Its context menus have no parent. */
  hidesPopups: boolean
  /** What is in a closed drop-down list counts as showing. */
  showsFolded: boolean
  /** It does not tell how far an open drop-down list is scrolled. */
  hidesScrolling: boolean
  /** Menus and drop-down lists are drawn in the window they belong to, over what is there. */
  drawsListsInside: boolean
  /** Asked what lies at a point, it answers by what is drawn there. */
  tellsHits: boolean
  /** Its pages run in processes of their own, so that it has taken a key in before it knows what the key did. */
  passesKeysOn: boolean
  /** The entries of its menus are elsewhere than it says. */
  misplacesEntries: boolean
  /** What is in a page is told in pixels of the screen, whatever its own are. */
  pagesInPixels: boolean
  /** A combobox is called after what is chosen in it. */
  namesChoice: boolean
  /** A button that shows for a moment that it was pressed ignores its shortcut meanwhile. */
  dropsRepeats: boolean
  /** Its chosen tab and the current rows of its lists say that they have the focus wherever that is. */
  claimsFocus: boolean
  /** A letter right behind Alt opens no menu. */
  missesFastAlt: boolean
  /** It loses characters beyond U+FFFF. */
  isNarrow: boolean
  /** … of keys, on Wayland. */
  hasNarrowKeys: boolean
  /** Places in a text count UTF-16 units, not characters. */
  countsUtf16: boolean
  /** What stands for the end of a text. */
  endOfText: number
  /** Its pages are so large that each question counts; it tells all properties in one answer, over which Qt 5 would crash. */
  isTerse: boolean
  /** Asked for its cache, it looks into objects that are gone, as those of a closed dialog, and crashes. */
  crashesOnCache: boolean
  /** The first question of each kind about a page is answered with nothing, and nothing tells when there is an answer. */
  answersLate: boolean
}

const USUAL: Toolkit = {
  isRelative: false,
  isDisplaced: false,
  tellsShowing: true,
  silent: 'none',
  remakesRows: false,
  keepsUnshownRows: false,
  hidesPopups: false,
  showsFolded: false,
  hidesScrolling: false,
  drawsListsInside: false,
  tellsHits: false,
  passesKeysOn: false,
  misplacesEntries: false,
  pagesInPixels: false,
  namesChoice: false,
  dropsRepeats: false,
  claimsFocus: false,
  missesFastAlt: false,
  isNarrow: false,
  hasNarrowKeys: false,
  countsUtf16: false,
  endOfText: -1,
  isTerse: false,
  crashesOnCache: false,
  answersLate: false,
}

/** GTK 3 calls itself "gtk", GTK 4 "GTK". LibreOffice says "gtk" too, but draws most of its widgets itself. */
export function toolkitOf(name: string | undefined, executable = ''): Toolkit {
  // What it calls itself may not have arrived in time.
  if ((name === 'gtk' || name === undefined) && executable.endsWith('/soffice.bin'))
    return { ...USUAL, isDisplaced: true, silent: 'panels', crashesOnCache: true }
  switch (name) {
    case 'GTK':
      // Asked for a text up to -1, its entries answer nothing.
      return { ...USUAL, isRelative: true, tellsShowing: false, keepsUnshownRows: true, endOfText: 0x7fffffff }
    case 'Qt':
      return {
        ...USUAL,
        silent: 'all',
        remakesRows: true,
        hidesPopups: true,
        showsFolded: true,
        namesChoice: true,
        dropsRepeats: true,
        claimsFocus: true,
        missesFastAlt: true,
        countsUtf16: true,
      }
    case 'VCL':
      return { ...USUAL, countsUtf16: true }
    case 'Chromium':
      // The panel around a page gets another page without a word.
      return {
        ...USUAL,
        silent: 'panels',
        hidesScrolling: true,
        tellsHits: true,
        pagesInPixels: true,
        passesKeysOn: true,
        hasNarrowKeys: true,
        countsUtf16: true,
        isTerse: true,
      }
    case 'Gecko':
      return { ...USUAL, answersLate: true }
    case 'J2SE-access-bridge':
      return { ...USUAL, drawsListsInside: true, misplacesEntries: true, namesChoice: true, isNarrow: true, countsUtf16: true }
    default:
      return USUAL
  }
}
