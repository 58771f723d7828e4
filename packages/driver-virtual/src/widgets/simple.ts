import type { Widget } from './widget.ts'

/** Labels, headings, images, containers: what is looked at. Rules can still give them a click. */
export const plain: Widget = {
  face: (_desk, el) => ({ actions: el.attributes.on?.['click'] ? ['press'] : [] }),
}

export const button: Widget = {
  face: (_desk, el) => (el.role === 'togglebutton' ? { states: { pressed: el.checked }, actions: ['press'] } : { actions: ['press'] }),
  activate(desk, el) {
    if (el.role !== 'togglebutton') return
    el.checked = !el.checked
    desk.touch(el)
  },
}
