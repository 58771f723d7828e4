/** A line without what says where the keyboard is; texts from the screen are quoted. */
export const bare = (line: string): string => line.replaceAll(/("(?:[^"\\]|\\.)*")| (?:focused|active)\b/g, '$1')

export const switchless = (line: string): string => line.replaceAll(/("(?:[^"\\]|\\.)*")| disabled\b/g, '$1')

/** What a line tells. What it leaves out is none of it, nor, of a text in pixels, what it is taken for and how surely. */
export const faceOf = (line: string): string =>
  AREA.test(line)
    ? 'area'
    : line.startsWith('seen ')
      ? bare(line)
          .replace(/^seen (?:cell|columnheader|label|listitem)\b/, 'seen')
          .replace(/ \d+% sure/, '')
      : bare(line).replace(LEFT_OUT, '').replace(MEMORY, '')

/** What is drawn inside a window, whether its pixels were read or not. */
const AREA = /^(?:unread )?area\b/
/** Chromium counts on in the names of its tabs. */
const MEMORY = / - Memory usage - [\d.]+ [KMG]B(?=")/
const LEFT_OUT = / \((?:\d+ empty cells? not shown|\d+ more inside)\)$/

/** Whether the line of a container says that it has more than what is shown of it. */
export const hidesSome = (line: string): boolean => line.endsWith(' more inside)')

/**
 * Lines that go without a word: rows and tables made out around texts in pixels, whose texts tell what becomes of them, empty cells without the
 * keyboard, and what could not be operated anyway.
 */
export const UNSAID =
  /^seen (?:table|row|list|group)(?! ")|^cell (?:"(?:[^"\\]|\\.)*" )?empty\b|^(?:"(?:[^"\\]|\\.)*"|[^"])* disabled(?: \w+)*$/
