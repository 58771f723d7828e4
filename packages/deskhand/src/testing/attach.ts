import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Opened } from '../wiring/open.ts'

/** What test runners hand to a test, as far as it is used here: vitest has `task` and `annotate`, node:test `name` and `diagnostic`. */
export interface RunnerContext {
  name?: string
  task?: { name: string; id?: string }
  annotate?: (message: string, type?: string) => Promise<unknown>
  diagnostic?: (message: string) => void
}

/** Leaves what the desktops show and what was done on them beside the failure, and gives the failure that says where. */
export async function attach(thrown: unknown, desks: readonly Opened[], context: RunnerContext): Promise<unknown> {
  const name = context.task?.name ?? context.name ?? 'test'
  const folder = resolve(process.env['DESKHAND_TEST_RESULTS'] ?? 'test-results', fileName(name))
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
    await context.annotate?.(file, 'attachment')
    context.diagnostic?.(`attachment: ${file}`)
  }
  if (thrown instanceof Error && files.length > 0) thrown.message += `\nattached:\n${files.map((f) => `  ${f}`).join('\n')}`
  return thrown
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

const fileName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80) || 'test'
