import { glob, globLiteral, type Test } from './glob.ts'

/** Whether a path is one of Windows: with a drive, or on another machine. */
export const isOfWindows = (path: string): boolean => /^([a-z]:|\\\\)/i.test(path)

/**
 * A glob on the path of a program. Paths of Windows are compared as Windows does, whatever the case; patterns for them may part folders by
 * slashes or by backslashes, one or two. Before a bracket or a brace a backslash takes it literally, as everywhere; no file there has the others.
 */
export function pathGlob(pattern: string): Test {
  const elsewhere = glob(pattern, { path: true })
  const onWindows = glob(withSlashes(pattern).toLowerCase(), { path: true })
  return (path) => (isOfWindows(path) ? onWindows(searchedPath(path)) : elsewhere(path))
}

/** A path as `pathLiteral` finds its texts in it. */
export const searchedPath = (path: string): string => (isOfWindows(path) ? oneEach(path.replaceAll('\\', '/')) : path).toLowerCase()

/** A text that is in every path that the pattern matches. */
export const pathLiteral = (pattern: string): string => globLiteral(oneEach(pattern)).toLowerCase()

const withSlashes = (pattern: string): string =>
  isOfWindows(pattern) || pattern.startsWith('*') ? oneEach(pattern.replaceAll('\\\\', '/').replaceAll(/\\(?![[\]{}])/g, '/')) : pattern

const oneEach = (path: string): string => path.replaceAll(/\/+/g, '/')
