import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ElementNode } from '@deskhand/core/model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mustAgree } from '../support/agree.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture } from '../support/linux.ts'

const SCREEN = { x: 0, y: 0, w: 1280, h: 800 }

describeDesktop('dialogs', { timeout: 120_000 }, () => {
  let desk: RealDesk
  beforeAll(async () => {
    desk = await realDesk({ size: { width: SCREEN.w, height: SCREEN.h } })
  }, 60_000)
  afterAll(() => desk.close(), 60_000)

  const outline = async (): Promise<string> => (await desk.call('ui.snapshot')).text ?? ''
  const agrees = (when: string): Promise<void> =>
    mustAgree(
      {
        tree: async () => ((await desk.call('ui.snapshot', { scope: 'desktop', includeTree: true })).data as { tree: ElementNode }).tree,
        run: desk.ask,
        screen: SCREEN,
      },
      when,
    )
  const press = async (name: string): Promise<void> => {
    const result = await desk.call('ui.click', { target: `role=button && name="${name}"`, timeoutMs: 20_000 })
    expect(result, JSON.stringify(result.error)).toMatchObject({ status: 'success' })
  }
  /** Chromium does not heed clicks on a dialog that has only just come up. */
  const answer = async (name: string, after: string): Promise<void> => {
    const pressed = async (): Promise<string> => {
      await desk.call('ui.click', { target: `role=button && name="${name}"`, timeoutMs: 500 })
      return outline()
    }
    await expect.poll(pressed, { timeout: 20_000, interval: 600 }).toContain(after)
  }
  const says = async (text: string | RegExp): Promise<void> => {
    await expect.poll(outline, { timeout: 20_000 }).toMatch(text)
  }

  describe('of a page in Chromium', () => {
    let server: Server
    beforeAll(async () => {
      server = createServer((_, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8')
        response.end(readFileSync(fixture('pages/asking.html')))
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      await desk.show('Cards', 'chromium', ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', url])
    }, 120_000)
    afterAll(() => {
      server.close()
      server.closeAllConnections()
    })

    test.each([
      { button: 'Tell', text: 'label "Saved"', by: 'OK', after: 'label "nothing"' },
      { button: 'Delete', text: 'label "Permanently delete 3 files?"', by: 'Cancel', after: 'label "kept"' },
      { button: 'Delete', text: 'label "Permanently delete 3 files?"', by: 'OK', after: 'label "deleted"' },
      { button: 'Ask', text: 'textbox "Your name?" value "Ann" all selected focused', by: 'OK', after: 'label "name Ann"' },
      { button: 'Open', text: 'label "Inside the page"', by: 'Shut', after: 'label "name Ann"' },
    ])('what $button opens is told first, as modal, and what is behind it comes back: $by', async ({ button, text, by, after }) => {
      await press(button)
      await says(/^snapshot \w+\ne\d+ dialog .*modal/)
      await says(text)
      await agrees(`${button} is open`)
      await answer(by, after)
      await agrees(`${button} was answered`)
    })

    test('keys reach a dialog', async () => {
      await press('Delete')
      await says(/dialog .*modal/)
      const pressed = async (): Promise<string> => {
        if ((await outline()).includes('modal')) expect(await desk.call('ui.key', { keys: 'Escape' })).toMatchObject({ status: 'success' })
        return outline()
      }
      await expect.poll(pressed, { timeout: 20_000, interval: 600 }).toContain('label "kept"')
    })

    test('an action that opens a dialog says so, with its text, its buttons and what Enter would press', async () => {
      const deleted = async (): Promise<unknown> => {
        const { data, text } = await desk.call('ui.click', { target: 'role=button && name="Delete"', timeoutMs: 20_000 })
        await answer('Cancel', 'label "kept"')
        return { data, text }
      }
      // On a busy machine the dialog may come up after the answer.
      await expect.poll(deleted, { timeout: 60_000, interval: 0 }).toMatchObject({
        data: { opened: [{ role: 'dialog', modal: true, defaultButton: 'OK' }] },
        text: expect.stringMatching(
          /^opened:\ne\d+ dialog .*modal\n.*"Permanently delete 3 files\?"[^]*"Cancel"[^]*Enter would press "OK" and so answer "Permanently/,
        ) as string,
      })
    })

    test('a batch answers the dialog that its first step opens, and is told of no part of the page as gone', async () => {
      for (const { by, after } of [
        { by: 'OK', after: 'label "deleted"' },
        { by: 'Cancel', after: 'label "kept"' },
        { by: 'OK', after: 'label "deleted"' },
      ]) {
        const { status, text } = await desk.call('ui.batch', {
          steps: [
            { tool: 'click', args: { target: 'role=button && name="Delete"', verify: { window: { dialog: true } }, timeoutMs: 20_000 } },
            { tool: 'click', args: { target: `role=button && name="${by}"`, timeoutMs: 20_000 } },
          ],
        })
        expect({ status, text }).toMatchObject({ status: 'success', text: expect.stringMatching(`"${by}": changed`) as string })
        expect(await outline()).toContain(after)
      }
      const { status, text } = await desk.call('ui.batch', {
        steps: [
          { tool: 'click', args: { target: 'role=button && name="Delete"', timeoutMs: 20_000 } },
          { tool: 'click', args: { target: 'role=button && name="Cancel"', timeoutMs: 20_000 } },
        ],
      })
      expect({ status, text }).toMatchObject({ status: 'success' })
      expect(await outline()).toContain('label "kept"')
    })

    test('a file chooser without a tree is told as unread, and keys reach it at the risk of not knowing', async () => {
      await press('Upload: No file chosen')
      await says(/incomplete.*\ne\d+ unread dialog "Open File" app "chromium" at \d+,\d+ \d+x\d+ active modal .*click_xy/)
      const { risk, status } = await desk.call('ui.key', { keys: 'Escape' })
      expect({ status, level: risk?.level }).toEqual({ status: 'success', level: 'medium' })
      expect(risk?.factors.map((f) => f.id)).toContain('source.unread')
      await says('button "Upload: No file chosen"')
    })

    test('leaving a page that does not want to be left', async () => {
      await desk.call('ui.type', { target: 'role=textbox && name="Note"', text: 'x' })
      await desk.call('ui.click', { target: 'role=button && name="Reload"' })
      await says(/dialog "Reload site\?".*modal/)
      await agrees('asked whether to leave')
      await answer('Cancel', '"Delete"')
      await agrees('stayed')
    })
  })

  test('keys reach the context menu of a GTK 3 application', async () => {
    await desk.show('Mousepad', 'mousepad')
    await desk.call('ui.click', { target: 'app=mousepad && role=textbox', button: 'right' })
    await says(/menuitem "Select All"/)
    await agrees('the menu is open')
    expect(await desk.call('ui.key', { keys: ['ArrowDown', 'Escape'] })).toMatchObject({ status: 'success' })
    await expect.poll(outline).not.toMatch(/menuitem "Select All"/)
    await agrees('the menu is closed')
  })
})
