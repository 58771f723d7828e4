import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import type { Opened } from '../wiring/open.ts'

/** What test runners hand to a test, as far as it is used here: vitest has `task` and `annotate`, node:test `fullName` and `diagnostic`, both `signal`. */
export interface RunnerContext {
  fullName?: string
  task?: { fullTestName: string; file: { filepath: string }; timeout?: number }
  signal?: AbortSignal
  annotate?: (message: string, type?: string) => Promise<unknown>
  diagnostic?: (message: string) => void
}

/** Leaves what the desktops show and what was done on them beside the failure, and gives the failure that says where. */
export async function attach(thrown: unknown, desks: readonly Opened[], context: RunnerContext): Promise<unknown> {
  const folder = resolve(process.env['DESKHAND_TEST_RESULTS'] ?? 'test-results', folderName(context))
  const files: string[] = []
  for (const [i, desk] of desks.entries()) {
    const written = async (file: string, contents: () => Promise<string | Uint8Array | undefined>): Promise<void> => {
      // The failure itself is what counts: what cannot be looked at any more is left out.
      const made = await contents().catch(() => undefined)
      if (made === undefined) return
      mkdirSync(folder, { recursive: true })
      const path = join(folder, desks.length === 1 ? file : `${i + 1}-${file}`)
      writeFileSync(path, made)
      files.push(path)
    }
    await written('desktop.png', async () => (await desk.call('input.capture')).images?.[0]?.data)
    await written('outline.txt', async () => (await desk.call('ui.snapshot', { scope: 'desktop', all: true })).text)
    await written('trace.jsonl', async () => (await record(desk)).map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  }
  for (const file of files) {
    // A runner that gave the test up takes no more notes.
    await context.annotate?.(file, 'attachment').catch(() => {})
    context.diagnostic?.(`attachment: ${file}`)
  }
  // Runners print neither field.
  if (thrown instanceof DeskhandError) addTo(thrown, `\n${thrown.code}. ${thrown.next}`)
  if (thrown instanceof Error && files.length > 0) addTo(thrown, `\nattached:\n${files.map((f) => `  ${f}`).join('\n')}`)
  return thrown
}

/** Adds to what the runner says of a test whose limit is over; a runner that is done with the test is told nothing once this is undone. */
export function whenGivenUp(context: RunnerContext, words: () => string | undefined): () => void {
  const { signal } = context
  const tell = (): void => {
    const said = words()
    if (said === undefined) return
    if (signal?.reason instanceof Error) addTo(signal.reason, `\n${said}`)
    context.diagnostic?.(said)
  }
  signal?.addEventListener('abort', tell)
  return () => signal?.removeEventListener('abort', tell)
}

/** Some reporters print the message, others the stack, which has the message in it. node:test gives tests up by an error that cannot be changed. */
function addTo(error: Error, words: string): void {
  if (!Object.hasOwn(error, 'message')) return
  const stack = error.stack?.replace(error.message, () => error.message + words)
  error.message += words
  error.stack = stack
}

async function record(desk: Opened): Promise<unknown[]> {
  const all: { seq: number }[] = []
  for (;;) {
    const entries = await desk.session.invoke(
      'journal.read',
      { after: all.at(-1)?.seq ?? 0, limit: 1_000 },
      { id: 'test', role: 'operator' },
    )
    if (entries.length === 0) return all
    all.push(...entries)
  }
}

/** Of this test alone: its file, the suites around it and its own name. */
function folderName({ task, fullName = '' }: RunnerContext): string {
  // node:test runs each file in a process of its own.
  const file = task?.file.filepath ?? process.argv[1] ?? ''
  const words = `${relative('.', file)} ${task?.fullTestName ?? fullName}`
  const name = words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
  return name.length <= LONGEST_NAME ? name || 'test' : `${name.slice(0, LONGEST_NAME)}-${hash('sha256', words).slice(0, 8)}`
}

const LONGEST_NAME = 120
