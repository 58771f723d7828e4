import type { Words } from './pixels.ts'
import { encodePng } from './png.ts'

const ROUNDS = 6

/** Encodes a picture that nobody sees a few times: the first one that somebody waits for is as fast as the later ones then. */
export async function practise(): Promise<void> {
  const picture = sample(601, 240)
  for (let round = 0; round < ROUNDS; round++) await encodePng(picture)
}

/** Something of everything that screens are made of: runs, colours that occur once, and parts and whole rows as above. */
function sample(width: number, height: number): Words {
  const words = new Uint32Array(width * height)
  let seed = 1
  const chance = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32
  for (let at = 0; at < words.length;) {
    const isCopy = at >= width && (Math.floor(at / width) % 8 > 5 || chance() < 0.6)
    const colour = chance() < 0.5 ? 0xffffff : Math.floor(chance() * 0xffffff)
    const end = Math.min(words.length, at + 1 + Math.floor(chance() * chance() * 80))
    for (; at < end; at++) words[at] = isCopy ? words[at - width]! : colour
  }
  return { width, height, words, lowest: 'blue' }
}
