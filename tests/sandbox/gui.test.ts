import { expect, test } from 'vitest'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk } from '../support/governed.ts'
import { PYTHON } from '../support/linux.ts'

const PROGRAM = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title="Described")
button = Gtk.Button(label="Store")
button.get_accessible().set_description("Keeps what was written")
window.add(button)
window.show_all()
Gtk.main()
`

describeDesktop('the gui tools on a real desktop', () => {
  test('give the description that an application has for an element, and the click reaches it', async () => {
    const desk = await realDesk()
    try {
      await desk.show('Described', PYTHON, ['-c', PROGRAM])
      await expect
        .poll(async () => (await desk.call('gui_find_element', { name: 'store', role: 'push button', partial: false })).data, {
          timeout: 10_000,
        })
        .toMatchObject({
          success: true,
          count: 1,
          elements: [
            {
              name: 'Store',
              role: 'button',
              description: 'Keeps what was written',
              states: expect.arrayContaining(['enabled']) as unknown,
            },
          ],
        })
      expect((await desk.call('gui_click_element', { name: 'Store', role: 'button' })).data).toMatchObject({
        success: true,
        screenshot: expect.stringMatching(/^iVBOR/) as string,
      })
      expect((await desk.call('gui_screenshot', { region: { x: 5000, y: 0, width: 5, height: 5 } })).data).toMatchObject({
        success: false,
        screenshot: null,
        code: 'BAD_ARGS',
      })
    } finally {
      await desk.close()
    }
  })
})
