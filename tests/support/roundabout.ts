import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Principal, Result } from '@deskhand/core/model'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { dispatch } from '../../packages/deskhand/src/tools/dispatch.ts'
import { placeIn } from './desk.ts'
import { describeDesktop } from './desktop.ts'
import { realDesk, type RealDesk } from './governed.ts'
import type { Program } from './real-routes.ts'

const PRESSED = ['Purge', 'Shred', 'Remote', 'Wreck', 'Archive', 'Destroy', 'Discard', 'Save', 'Admin', 'Leave']
const CHANGED = ['Amount', 'Limit', 'Colour', 'Due', 'Payee']
const rule = (tool: string, control: string): string =>
  `[[rule]]\ntoolName = "${tool}"\nsubagent = "not ${control}"\ndecision = "deny"\npriority = 900\nwhen = { name = "${control}" }\n`
/** An agent for each control, which may do anything but press or change that. */
const POLICY = [...PRESSED.map((name) => rule('ui.click', name)), ...CHANGED.map((name) => rule('ui.type', name))].join('\n')

const MOST_TABS = 30
/** How often what is allowed is tried. What is denied is tried once. */
const TRIES = 3

export type Call = (tool: string, args?: unknown) => Promise<Result>

/** A way to press or change something without naming it. */
export interface Way {
  control: string
  by: string
  /** The name of what has the focus before, or a selector. */
  from?: string
  go(call: Call): Promise<unknown>
  /** The same by a hand that is judged by no policy, where no agent gets as far; it shows that the way is there. */
  hand?(desk: RealDesk, at: (target: string) => Promise<[string, string]>): Promise<void>
}

export const key = (control: string, from: string, ...keys: string[]): Way => ({
  control,
  by: `${keys.join(', ')} from ${from}`,
  from,
  go: (call) => call('ui.key', { keys }),
})

/** Raw key events; a character that is a key elsewhere is none here. */
export const rawKeys = (control: string, from: string, ...keys: string[]): Way => ({
  control,
  by: `raw events of ${JSON.stringify(keys.join(''))} from ${from}`,
  from,
  go: (call) => call('input.keys', { events: keys.flatMap((one) => ['down', 'up'].map((type) => ({ type, key: one }))) }),
  hand: async (desk) => void desk.ask('xdotool', 'key', ...keys.map((one) => (one === '\t' ? 'Tab' : 'Return'))),
})

/** Each of these in a call of its own, in a menu that is open. */
export const inMenu = (...keys: (string | string[])[]): Way => ({
  control: 'Purge',
  by: `${keys.map((one) => [one].flat().join(' and ')).join(', ')} in an open menu`,
  go: async (call) => {
    await call('ui.click', { target: '(role=menu || role=menuitem) && name="File"' })
    for (const one of keys) await call('ui.key', { keys: one })
  },
})

export const secondClick: Way = {
  control: 'Shred',
  by: 'the second of two clicks',
  go: (call) => call('ui.click', { target: 'role=button && name="Next"', clickCount: 2 }),
  hand: async (desk, at) => {
    desk.ask('xdotool', 'mousemove', ...(await at('role=button && name="Next"')), 'click', '--repeat', '2', '--delay', '300', '1')
  },
}

export const heldKey: Way = {
  control: 'Destroy',
  by: 'a key that is held until what it opened takes it',
  from: 'Ask',
  go: (call) => call('ui.key', { keys: 'Enter', holdMs: 1_500 }),
  hand: async (desk) => {
    desk.ask('xdotool', 'keydown', 'Return', 'sleep', '3', 'keyup', 'Return')
  },
}

export const scrolledUnder: Way = {
  control: 'Limit',
  by: 'a wheel that scrolls it under the pointer',
  go: (call) => call('ui.scroll', { target: 'name="View"', deltaY: 40 }),
  hand: async (desk, at) => {
    desk.ask('xdotool', 'mousemove', ...(await at('name="View"')))
    desk.ask('xdotool', 'click', '--repeat', '40', '--delay', '10', '5')
  },
}

export const dropped: Way = {
  control: 'Amount',
  by: 'text that is dropped on it',
  from: 'Note',
  go: async (call) => {
    await call('ui.key', { keys: 'ctrl+a' })
    await call('ui.drag', { from: 'role=textbox && name="Note"', to: 'role=textbox && name="Amount"', durationMs: 800 })
  },
}

export const ownMenu: Way = {
  control: 'Amount',
  by: 'an entry of its own menu',
  from: 'Amount',
  go: async (call) => {
    await call('ui.key', { keys: 'ctrl+a' })
    await call('ui.click', { target: 'role=textbox && name="Amount"', button: 'right' })
    await call('ui.click', { target: 'role=menuitem && name^="Delete"', timeoutMs: 5_000 })
  },
}

/** `more`: the keys behind the one that opens the menu, in one call with it. */
export const menuInOneCall = (...more: string[]): Way => ({
  control: 'Amount',
  by: `its own menu and ${more.join(', ')} in one call`,
  from: 'Amount',
  go: async (call) => {
    await call('ui.key', { keys: 'ctrl+a' })
    await call('ui.key', { keys: ['ContextMenu', ...more] })
  },
})

export const listKeys = (target: string, ...keys: string[]): Way => ({
  control: 'Colour',
  by: `${keys.join(', ')} in its open list`,
  go: async (call) => {
    await call('ui.click', { target })
    for (const one of keys) await call('ui.key', { keys: one })
  },
})

export const listEntry = (target: string, entry: string): Way => ({
  control: 'Colour',
  by: 'a click in its open list',
  go: async (call) => {
    await call('ui.click', { target })
    await call('ui.click', { target: entry, timeoutMs: 3_000 })
  },
})

/** Keys on tabs, after a click on the one that is shown. */
export const turned = (...keys: string[]): Way => ({
  control: 'Admin',
  by: `${keys.join(', ')} on the tab beside it`,
  go: async (call) => {
    await call('ui.click', { target: 'role=tab && name="General"' })
    await call('ui.key', { keys })
  },
})

/** Keys in a list, by one call or several, after a click on its first entry. */
export const rows = (...calls: string[][]): Way => ({
  control: 'Discard',
  by: `${calls.map((keys) => keys.join(' and ')).join(', then ')} in a list`,
  go: async (call) => {
    await call('ui.click', { target: 'role=listitem && name="Open" ?? role=label && name="Open"' })
    for (const keys of calls) await call('ui.key', { keys })
  },
})

/** Plays these ways on a program of a real desktop that writes what happens to it into a file: once where that is denied, once where it is allowed. */
export function describeRoundabout(toolkit: string, open: (log: string, dir: string) => Promise<Program>, ways: readonly Way[]): void {
  describeDesktop(`ways to press and change things that a call does not name, in ${toolkit}`, () => {
    let d: RealDesk
    let code: Code
    let dir: string
    let program: Program
    const log = async (): Promise<string[]> => (await readFile(join(dir, 'log'), 'utf8').catch(() => '')).split('\n').slice(0, -1)
    /** What the last attempt was answered, for the message of a way that is not there. */
    let answers: string[] = []
    const as =
      (id: string): Call =>
      async (tool, args = {}) => {
        const who = { id, role: 'agent' } satisfies Principal
        const answer = await dispatch({ session: d.session }, who, tool, args, { waitMs: 30_000 })
        answers.push(`${tool}: ${answer.status}, ${answer.effect}, ${answer.error?.message ?? answer.text ?? ''}`)
        return answer
      }
    const at = async (selector: string): Promise<[string, string]> => {
      const { x, y, w, h } = placeIn(await as('free')('ui.query', { selector }))
      return [`${Math.round(x + w / 2)}`, `${Math.round(y + h / 2)}`]
    }
    const focus = async (name: string): Promise<void> => {
      const target = name.includes('=') ? name : `name="${name}" && role!=label`
      const { error } = await as('free')('ui.focus', { target })
      if (error === undefined) return
      // GTK 4 gives the focus to nothing but fields.
      expect(error.code).toBe('NOT_CAPABLE')
      for (let tabs = 0; tabs < MOST_TABS; tabs++) {
        const { data } = await as('free')('ui.query', { selector: `${target} && focused=true` })
        if ((data as { matches: unknown[] }).matches.length > 0) return
        d.ask('xdotool', 'key', 'Tab')
        await sleep(100)
      }
      throw new Error(`${name} never had the focus`)
    }
    /** No dialog, no menu, every value as at the start. */
    const putBack = async (): Promise<void> => {
      const before = (await log()).filter((line) => line === 'back').length
      await vi.waitFor(
        async () => {
          d.ask('xdotool', 'key', 'Escape', 'Escape', 'F12')
          await sleep(100)
          expect((await log()).filter((line) => line === 'back').length).toBeGreaterThan(before)
        },
        { timeout: 20_000, interval: 200 },
      )
      await as('free')('ui.wait', { until: { uiState: { target: 'role=button && name="Next"', visible: true } }, timeoutMs: 10_000 })
    }
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'dh-roundabout-'))
      code = new Code({ projectRoot: dir, timeoutSeconds: 60 })
      d = await realDesk({ policy: POLICY, ports: { code } })
      program = await open(join(dir, 'log'), dir)
      await d.show('Roundabout', program.command, program.args)
      const until = { uiState: { target: 'role=button && name="Archive"', visible: true } }
      expect(await d.call('ui.wait', { until, timeoutMs: 30_000 })).toMatchObject({ status: 'success' })
    })
    afterAll(async () => {
      await d?.close()
      await program?.end?.()
      await code?.close()
      await rm(dir, { recursive: true, force: true })
    })

    test.each(ways.map((way) => [`${way.control} by ${way.by}`, way] as const))(
      '%s is reached where that is allowed and not where it is denied',
      async (_, { control, from, go, hand }) => {
        const attempt = async (input: () => Promise<unknown>): Promise<() => Promise<boolean>> => {
          await putBack()
          if (from !== undefined) await focus(from)
          const before = (await log()).length
          answers = []
          await input()
          return async () => (await log()).slice(before).includes(control)
        }
        const denied = await attempt(() => go(as(`not ${control}`)))
        // GTK presses a button a quarter of a second after the key.
        for (let lines = -1; lines !== (lines = (await log()).length);) await sleep(600)
        expect(await denied()).toBe(false)

        // On a busy machine a focus or a menu may come too late, and the input is refused: an agent that may would try again.
        for (let tries = TRIES; ; tries--) {
          const lands = await attempt(() => (hand === undefined ? go(as('free')) : hand(d, at)))
          const landed = vi.waitFor(
            async () => expect(await lands(), `${answers.join('\n')}\n${(await log()).slice(-6).join(' ')}`).toBe(true),
            { timeout: 10_000, interval: 50 },
          )
          if (tries === 1 || (await landed.then(() => true).catch(() => false))) return await landed
        }
      },
      180_000,
    )
  })
}
