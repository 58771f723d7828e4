/** Text as recognition is compared: without case and spaces, which it gets wrong most often. */
export const folded = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '')
