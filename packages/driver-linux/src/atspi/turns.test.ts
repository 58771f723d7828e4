import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

/** Work that ends when it is told to. */
function work(log: string[], name: string): { run: () => Promise<void>; end: (error?: Error) => void } {
  let end: (error?: Error) => void = () => {}
  const ended = new Promise<void>((done, fail) => (end = (error) => (error === undefined ? done() : fail(error))))
  return {
    run: async () => {
      log.push(`${name} begins`)
      await ended
      log.push(`${name} ends`)
    },
    end,
  }
}

test('what is asked for while the same is under way is done once more, afterwards', async () => {
  const turns = new Turns<string>()
  const log: string[] = []
  const [first, second, third] = [work(log, 'first'), work(log, 'second'), work(log, 'third')]
  const asked = [turns.take('table', first.run), turns.take('table', second.run), turns.take('table', third.run)]
  first.end()
  third.end()
  await Promise.all(asked)
  expect(log).toEqual(['first begins', 'first ends', 'third begins', 'third ends'])
})

test('different subjects do not wait for each other', async () => {
  const turns = new Turns<string>()
  const log: string[] = []
  const [first, second] = [work(log, 'first'), work(log, 'second')]
  const asked = [turns.take('one', first.run), turns.take('other', second.run)]
  second.end()
  await asked[1]
  first.end()
  await asked[0]
  expect(log).toEqual(['first begins', 'second begins', 'second ends', 'first ends'])
})

test('a failure is made good by the next turn, and told where there is none', async () => {
  const turns = new Turns<string>()
  const log: string[] = []
  const [first, second, last] = [work(log, 'first'), work(log, 'second'), work(log, 'last')]
  const asked = [turns.take('table', first.run), turns.take('table', second.run)]
  first.end(new Error('gone'))
  second.end()
  await Promise.all(asked)
  const alone = turns.take('table', last.run)
  last.end(new Error('gone'))
  await expect(alone).rejects.toThrow('gone')
})
