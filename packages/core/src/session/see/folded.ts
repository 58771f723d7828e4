/** Text as recognition is compared: without case, spaces and forms of quotation marks, which it gets wrong most often. */
export const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\s+/g, '')
    .replaceAll(/[‘’‛′`´]/g, "'")
    .replaceAll(/[“”„″]/g, '"')
