/** A list written as people write one: separated by commas, over as many lines as it takes. */
export function words(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim().replaceAll(/\s+/g, ' '))
}
