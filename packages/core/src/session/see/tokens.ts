/** An estimate that fits lines like these: a token is about three plain characters, or one of any other script; indentation is nearly free. */
export function tokens(text: string): number {
  return Math.ceil(weight(text))
}

export function weight(text: string): number {
  let plain = 0
  let other = 0
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) >= 128) other++
    else if (text[i] !== ' ' || text[i - 1] !== ' ') plain++
  }
  return plain / 3 + other
}
