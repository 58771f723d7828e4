import { fileURLToPath } from 'node:url'
import { open, type Opened } from 'deskhand'
import { median, spent, type Report } from '../report.ts'
import { onDesk } from './desk.ts'

const PYTHON = '/usr/bin/python3'
const fixture = (name: string): string => fileURLToPath(new URL(`../../tests/fixtures/${name}`, import.meta.url))
const CHROMIUM = ['--no-sandbox', '--disable-gpu', '--force-renderer-accessibility', '--no-first-run', '--disable-background-networking']

/** An application that stands still, with something in it that a click brings into another state. */
interface Idle {
  toolkit: string
  command: string
  args: readonly string[]
  target: string
}

const IDLE: readonly Idle[] = [
  { toolkit: 'GTK 3', command: PYTHON, args: [fixture('form_gtk3.py')], target: 'role=checkbox && name="Paid"' },
  { toolkit: 'GTK 4', command: PYTHON, args: [fixture('form_gtk4.py')], target: 'role=checkbox && name="Paid"' },
  { toolkit: 'Qt 5', command: PYTHON, args: [fixture('controls_qt5.py')], target: 'role=checkbox && visible=true >> nth=0' },
  { toolkit: 'Qt 6', command: PYTHON, args: [fixture('form_qt6.py')], target: 'role=textbox && name="Name"' },
  {
    toolkit: 'Chromium',
    command: 'chromium',
    args: [...CHROMIUM, `file://${fixture('pages/twelve-fields.html')}`],
    target: 'role=checkbox && name="Express"',
  },
]

/** What the answer of a click takes longer for telling what changed, once the desktop is quiet. */
export async function settling(report: Report): Promise<void> {
  for (const idle of IDLE)
    await onDesk(report, `settling of ${idle.toolkit}`, async (desk) => {
      desk.start(idle.command, idle.args)
      const config = { state: desk.state, desktop: { kind: 'sandbox', sandbox: desk.sandbox.record.id }, human: { mode: 'off' } } as const
      const session = await open({ config })
      try {
        await settles(report, session, idle)
      } finally {
        await session.close()
      }
    })
}

async function settles(report: Report, session: Opened, { toolkit, target }: Idle): Promise<void> {
  const shows = await session.call('ui.wait', { until: { uiState: { target } }, timeoutMs: 60_000 })
  if (shows.error !== undefined) throw new Error(shows.error.message)
  const click = async (changes: boolean): Promise<void> => {
    const { effect, error } = await session.call('ui.click', { target }, { changes })
    if (effect !== 'confirmed') throw new Error(`a click was ${effect}: ${error?.message ?? ''}`)
  }
  await click(true)
  // By turns, as a busy machine is slower at one time than at another.
  const [verified, beside]: [number[], number[]] = [[], []]
  for (let i = 0; i < 20; i++) {
    const alone = await spent(() => click(false))
    verified.push(alone)
    beside.push((await spent(() => click(true))) - alone)
  }
  report.add({ name: `${toolkit}: a click, effect confirmed`, unit: 'ms', ours: median(verified) })
  report.add({
    name: `${toolkit}: until it is quiet and told, beside that`,
    unit: 'ms',
    ours: median(beside),
    bar: { of: 'ours', atMost: 150 },
  })
}
