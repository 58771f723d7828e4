import { execFileSync } from 'node:child_process'
import { afterEach, expect, test, vi } from 'vitest'
import { govern } from '../support/desk.ts'
import { describeDesktop, testDesktop } from '../support/desktop.ts'
import { fixture, linuxHost, PYTHON, start } from '../support/linux.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const soon = { timeout: 20_000, interval: 100 }

describeDesktop('a dialog that is open when Deskhand comes', () => {
  let end = async (): Promise<void> => {}
  afterEach(() => end())

  test.each([
    {
      what: 'a question',
      title: 'Leaving',
      command: 'zenity',
      args: ['--question', '--title', 'Leaving', '--text', 'Really leave?'],
      shows: ['Really leave?', '"Yes"', '"No"'],
    },
    {
      what: 'a file chooser of GTK 3',
      title: 'Which file',
      command: 'zenity',
      args: ['--file-selection', '--title', 'Which file'],
      shows: ['"Cancel"', '"OK"'],
    },
    {
      what: 'a file chooser of Qt',
      title: 'Which file',
      command: PYTHON,
      args: [fixture('chooser_qt5.py')],
      shows: ['"Cancel"', '"Open"', 'textbox'],
    },
  ])('is told as a dialog, with its text and its buttons: $what', async ({ title, command, args, shows }) => {
    const sandbox = await testDesktop()
    end = () => sandbox.down()
    start(sandbox, command, args)
    execFileSync('xdotool', ['search', '--sync', '--onlyvisible', '--name', `^${title}$`], { env: sandbox.env })
    const governed = await govern(await linuxHost(sandbox), undefined, { desktop: 'sandbox', mode: 'allow_actual_input_full' })
    end = async () => {
      await governed.session.close()
      await sandbox.down()
    }
    const outline = async (): Promise<string> => (await governed.call('ui.snapshot')).text ?? ''
    await expect.poll(outline, soon).toContain(`dialog "${title}"`)
    for (const part of shows) await expect.poll(outline, soon).toContain(part)
  })
})
