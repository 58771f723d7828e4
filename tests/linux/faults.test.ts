import { execFileSync } from 'node:child_process'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { AppDesk } from '../support/apps.ts'
import { use } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { fixture, PYTHON } from '../support/linux.ts'

/** What a call came to. */
interface Answer {
  status: string
  error?: { code: string }
}

/** Longer than any field holds before its application misbehaves. */
const LONG = 'abcdefghij'.repeat(60)

describeDesktop('when applications misbehave under an agent', { timeout: 120_000 }, () => {
  let desk: AppDesk
  beforeAll(async () => {
    desk = await AppDesk.open({ width: 900, height: 700 })
  }, 60_000)
  afterEach(() => desk.clear(), 60_000)
  afterAll(() => desk.close(), 60_000)

  const misbehaving = (fault: string): Promise<number> => desk.launch(PYTHON, fixture('fault_gtk3.py'), fault)
  const call = async (tool: string, args: Record<string, unknown>): Promise<Answer> => (await use(desk.client, tool, args)).record as Answer
  /** A long text, key by key. */
  const typedInto = async (fault: string): Promise<Answer> => {
    await misbehaving(fault)
    await desk.use('ui.focus', { target: 'role=textbox && name="Field"' })
    return call('ui.type', { text: LONG })
  }
  /** The keys and buttons that the X server says are down. */
  const held = (): string[] =>
    ['Virtual core XTEST keyboard', 'Virtual core XTEST pointer'].flatMap((device) =>
      execFileSync('xinput', ['query-state', device], { env: desk.sandbox.env, encoding: 'utf8' })
        .split('\n')
        .filter((l) => l.includes('=down')),
    )
  /** Another application on the same desktop can still be operated. */
  const othersAreServed = async (): Promise<void> => {
    const ask = desk.start('zenity', '--question', '--title=Other', '--text=Still there?')
    await desk.click('window="Other" >> role=button && name="Yes"', { timeoutMs: 20_000 })
    expect(await ask.ended).toMatchObject({ code: 0 })
    expect(held()).toEqual([])
  }

  test('one that dies in the middle of a text ends the call with a code, and no key stays down', async () => {
    const { status, error } = await typedInto('die-while-typing')
    expect([status, error?.code]).toEqual(['error', expect.stringMatching(/^(STALE_REF|GUARD_BROKEN|DRIVER_FAILED|LEASE_LOST)$/)])
    await othersAreServed()
  })

  test('one that stops in the middle of a text is told as hung within the deadline', async () => {
    const { status, error } = await typedInto('stop-while-typing')
    expect([status, error?.code]).toEqual(['error', expect.stringMatching(/^(APP_HUNG|GUARD_BROKEN|LEASE_LOST|TIMEOUT)$/)])
    await othersAreServed()
  })

  test('one that hangs and goes on is named only while it hangs, and read anew', async () => {
    const { child } = desk.start(PYTHON, fixture('fault_gtk3.py'), 'none')
    await desk.shows('role=button && name="Target"')
    child.kill('SIGSTOP')
    const named = async (): Promise<boolean> => {
      // Looking at it is what shows that it hangs.
      await call('ui.click', { target: 'role=button && name="Target"', timeoutMs: 500 })
      return (await use(desk.client, 'ui.snapshot')).text.includes('does not answer')
    }
    await expect.poll(named, { timeout: 20_000 }).toBe(true)
    await othersAreServed()
    child.kill('SIGCONT')
    await expect.poll(async () => (await use(desk.client, 'ui.snapshot')).text.includes('does not answer'), { timeout: 20_000 }).toBe(false)
    await desk.type('Grüße', { target: 'role=textbox && name="Field"' })
    await expect.poll(async () => (await desk.seen()).find((n) => n.name === 'Field')?.text, { timeout: 20_000 }).toBe('Grüße')
  })

  test('one that answers once in a while is read all the same', async () => {
    desk.start(PYTHON, fixture('fault_gtk3.py'), 'busy')
    await desk.shows('role=textbox && name="Field"')
    await othersAreServed()
  })

  test('a dialog that opens in the middle of a text gets none of it', async () => {
    const { status, error } = await typedInto('dialog-while-typing')
    expect([status, error?.code]).toEqual(['error', 'GUARD_BROKEN'])
    await desk.wait({ window: { title: 'Surprise', present: true } })
    const { text } = (await desk.seen()).find((n) => n.name === 'Field') ?? {}
    expect(LONG.startsWith(text ?? '?')).toBe(true)
    await desk.click('role=button && name="OK"')
    expect(held()).toEqual([])
  })

  test('a window that closes between the look and the click is told as gone, or its place as taken', async () => {
    await misbehaving('close-when-typing')
    const seen = await use(desk.client, 'ui.snapshot')
    const target = /(e\d+) button "Target"/.exec(seen.text)?.[1]
    await call('ui.type', { target: 'role=textbox && name="Field"', text: 'x' })
    await desk.wait({ window: { title: 'Fault', present: false } })
    const { status, error } = await call('ui.click', { target, timeoutMs: 500 })
    expect([status, error?.code]).toEqual(['error', 'STALE_REF'])
    await othersAreServed()
  })

  test('one that is killed while it is being operated leaves the agent with an answer', async () => {
    const { child } = desk.start(PYTHON, fixture('fault_gtk3.py'), 'slow')
    await desk.shows('role=button && name="Target"')
    const clicking = call('ui.click', { target: 'role=button && name="Target"', verify: { uiState: { changed: true } } })
    setTimeout(() => child.kill('SIGKILL'), 100)
    const { status, error } = await clicking
    expect(status === 'success' || /^(STALE_REF|VERIFY_FAILED|NOT_FOUND|DRIVER_FAILED)$/.test(error?.code ?? '')).toBe(true)
    await othersAreServed()
  })

  test('ten thousand rows cost a bounded outline, while the application floods everybody with changes', async () => {
    await desk.launch(PYTHON, fixture('flood_gtk3.py'))
    const { text, record } = await use(desk.client, 'ui.snapshot')
    expect(record).toMatchObject({ status: 'success' })
    expect(text).toContain('cell "Row 0"')
    expect(text.length).toBeLessThan(12_000)
    await othersAreServed()
  })
})

describeDesktop('when the desktop itself goes away under an agent', { timeout: 120_000 }, () => {
  test('every call has a code when the X server dies, and the agent is not left waiting', async () => {
    const desk = await AppDesk.open()
    onTestFinished(() => desk.close(), 60_000)
    await desk.launch(PYTHON, fixture('fault_gtk3.py'), 'none')
    const server = desk.sandbox.record.parts.find((p) => p.name === 'xvfb')
    process.kill(server?.pid ?? 0, 'SIGKILL')
    for (const [tool, args] of [
      ['ui.type', { text: 'x' }],
      ['ui.click', { target: 'role=button && name="Target"', timeoutMs: 1000 }],
    ] as const) {
      const { status, error } = (await use(desk.client, tool, args)).record as Answer
      expect([status, error?.code]).toEqual(['error', expect.stringMatching(/^[A-Z_]+$/)])
      expect(error?.code).not.toBe('INTERNAL')
    }
  })
})
