import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { Code } from '../../packages/deskhand/src/code/engine.ts'
import { realDesk, type RealDesk } from './governed.ts'
import { fixture, PYTHON } from './linux.ts'
import { describeRoutes, POLICY, type NoRoute } from './routes.ts'

const SETTLE_MS = 500

/** A program that shows the window of routes, and what takes it down again. */
export interface Program {
  command: string
  args: string[]
  end?(): Promise<void>
}

export const python =
  (program: string) =>
  async (log: string): Promise<Program> => ({ command: PYTHON, args: [fixture(program), log] })

/** A program of Qt 5 in Qt 6. */
export const inQt6 =
  (program: string) =>
  async (log: string): Promise<Program> => ({ command: PYTHON, args: [fixture('in_qt6.py'), program, log] })

const WRAPPER = '/usr/share/java/java-atk-wrapper.jar'
const ACCESSIBLE = '-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper'

export const java =
  (program: string) =>
  async (log: string, dir: string): Promise<Program> => {
    execFileSync('javac', ['-d', dir, fixture(`${program}.java`)])
    return { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', `${dir}:${WRAPPER}`, ACCESSIBLE, program, log] }
  }

const FLAGS = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu']

/** A page in Chromium, whose server writes down what the page posts to it. */
export const page =
  (name: string) =>
  async (log: string, dir: string): Promise<Program> => {
    const html = readFileSync(fixture(`pages/${name}`))
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      request.on('data', (line: Buffer) => appendFileSync(log, `${line.toString()}\n`))
      request.on('end', () => response.end(request.url === '/' ? html : ''))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return {
      command: 'chromium',
      args: [...FLAGS, `--user-data-dir=${dir}/profile`, `--app=http://127.0.0.1:${port}/`],
      end: async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }

/** The routes on a program of a real desktop, which writes what happens to it into a file. */
export function describeRealRoutes(open: (log: string, dir: string) => Promise<Program>, absent: NoRoute): void {
  let d: RealDesk
  let code: Code
  let dir: string
  let program: Program
  const lines = async (): Promise<string[]> => (await readFile(join(dir, 'log'), 'utf8').catch(() => '')).split('\n').slice(0, -1)
  /** Until the application writes nothing more: GTK presses a button a quarter of a second after the key. */
  const settle = async (): Promise<void> => {
    for (let before = -1, now = (await lines()).length; now !== before; now = (await lines()).length) {
      before = now
      await sleep(SETTLE_MS)
    }
  }
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dh-routes-'))
    code = new Code({ projectRoot: import.meta.dirname, timeoutSeconds: 60 })
    d = await realDesk({ policy: POLICY, ports: { code } })
    program = await open(join(dir, 'log'), dir)
    await d.show('Routes', program.command, program.args)
    const until = { uiState: { target: 'role=combobox', visible: true } }
    expect(await d.call('ui.wait', { until, timeoutMs: 30_000 })).toMatchObject({ status: 'success' })
  })
  afterAll(async () => {
    await d?.close()
    await program?.end?.()
    await code?.close()
    await rm(dir, { recursive: true, force: true })
  })
  describeRoutes(
    () => ({
      session: d.session,
      log: lines,
      settle,
      reset: async () => {
        await d.call('ui.click', { target: 'role!=label && name="Red"' })
        await settle()
      },
      byHand: async (input) => {
        if ('keys' in input) d.ask('xdotool', 'key', ...input.keys)
        else {
          d.ask('xdotool', 'mousemove', `${input.at.x}`, `${input.at.y}`)
          d.ask('xdotool', 'click', '--repeat', `${Math.abs(input.notches)}`, input.notches < 0 ? '4' : '5')
        }
      },
    }),
    absent,
  )
}
