import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { World } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'
import { fixture, PYTHON } from '../support/linux.ts'
import { answered, computerCall, functionCall, middle, play, said, turn, uses } from '../support/loops.ts'

/** Every action of every model, seen by an application on a real desktop that tells what reached it. */
describeDesktop('on a real desktop', () => {
  const world = new World()
  let at: { x: number; y: number }
  let field: { x: number; y: number }
  let seen: string
  let before = 0

  beforeAll(async () => {
    seen = world.file('events', '')
    world.file('deskhand.toml', '[policy]\nmode = "allow_actual_input_full"\n')
    await world.up('--desktop', 'sandbox')
    await world.run(['launch', PYTHON, fixture('events_gtk3.py'), seen])
    ;[at, field] = [await middle(world, 'name=Area'), await middle(world, 'role=textbox && name=Field')]
  })
  afterAll(() => world.end())
  beforeEach(() => (before = readFileSync(seen, 'utf8').length))

  /** What reached the application since the test began; moves between two other things are one. */
  const told = (): string[] =>
    readFileSync(seen, 'utf8')
      .slice(before)
      .trimEnd()
      .split('\n')
      .filter((line, i, all) => line !== all[i - 1] || !/^(moved|dragged)/.test(line))

  /** Without the times, which only keys have. */
  const plain = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/^(down|up) (\S+) \d+/, '$1 $2'))
  /** In this order, whatever lies between. */
  const inOrder = (lines: readonly string[], wanted: readonly string[]): string[] => {
    let from = 0
    return wanted.filter((line) => {
      const found = lines.indexOf(line, from)
      if (found >= 0) from = found + 1
      return found >= 0
    })
  }
  const click = (button = 1, held = ''): string[] => [`press ${button}${held}`, `release ${button}${held}`]
  const times = (n: number, line: string): string[] => Array.from({ length: n }, () => line)

  test('each of the 17 members of the toolset of Claude does what it says', async () => {
    const [x, y] = [at.x, at.y]
    const ran = await play(world, 'anthropic', [
      uses(
        ['screenshot', {}],
        ['mouse_move', { coordinate: [x - 40, y - 40] }],
        ['cursor_position', {}],
        ['left_click', { coordinate: [x, y] }],
        ['right_click', { coordinate: [x, y] }],
        ['middle_click', { coordinate: [x, y] }],
        ['left_click', { coordinate: [x + 60, y], text: 'shift' }],
        ['double_click', { coordinate: [x - 60, y] }],
        ['triple_click', { coordinate: [x, y + 60] }],
      ),
      uses(
        ['left_click_drag', { start_coordinate: [x - 80, y - 80], coordinate: [x + 80, y + 80] }],
        ['mouse_move', { coordinate: [x, y] }],
        ['left_mouse_down', {}],
        ['mouse_move', { coordinate: [x + 50, y + 20] }],
        ['left_mouse_up', {}],
        ['scroll', { coordinate: [x, y], scroll_direction: 'down', scroll_amount: 3 }],
        ['scroll', { coordinate: [x, y], scroll_direction: 'up', scroll_amount: 1, text: 'ctrl' }],
        ['key', { text: 'ctrl+shift+t' }],
        ['key', { text: 'Page_Down', repeat: 2 }],
        ['hold_key', { text: 'F7', duration: 0.5 }],
      ),
      uses(
        ['left_click', { coordinate: [field.x, field.y] }],
        ['type', { text: 'Grüße €5' }],
        ['wait', { duration: 0.1 }],
        ['zoom', { region: [0, 0, 320, 200] }],
        ['left_click', { coordinate: [-1, 5] }],
      ),
      said('done'),
    ])
    expect(ran).toMatchObject({ code: 0, out: 'done\n' })
    const results = new Map(
      ran.requests
        .flatMap((r) => r.messages.at(-1).content as { type: string; tool_use_id: string; is_error?: boolean }[])
        .filter((c) => c.type === 'tool_result')
        .map((c) => [c.tool_use_id, c]),
    )
    const failed = [...results.values()].filter((r) => r.is_error === true)
    expect(failed).toMatchObject([
      { tool_use_id: 'tleft_click4', content: [{ text: expect.stringContaining('outside of the picture') as string }] },
    ])
    expect(JSON.stringify(results.get('tcursor_position2'))).toContain(`X=${x - 40},Y=${y - 40}`)
    expect(sizeOf(results.get('tzoom3'))).toEqual([320, 200])
    const lines = told()
    const wanted = [
      'moved',
      ...click(),
      ...click(3),
      ...click(2),
      ...click(1, ' shift'),
      'double 1',
      'triple 1',
      'press 1',
      'dragged',
      'release 1',
      'press 1',
      'dragged',
      'release 1',
      ...times(3, 'wheel down'),
      'wheel up ctrl',
      'down T shift ctrl',
      'down Page_Down',
      'up Page_Down',
      'down Page_Down',
      'up Page_Down',
      'down F7',
      'up F7',
      'field Grüße €5',
    ]
    expect(inOrder(plain(lines), wanted)).toEqual(wanted)
    const [down, up] = ['down', 'up'].map((what) => lines.filter((l) => l.startsWith(`${what} F7 `)).map((l) => Number(l.split(' ')[2])))
    expect(Math.max(...up!) - Math.min(...down!)).toBeGreaterThanOrEqual(500)
  })

  test('each action of the computer of OpenAI does what it says, and what cannot be done is told', async () => {
    const { x, y } = at
    const failing = (id: string, action: object): object => computerCall(id, action, { type: 'type', text: 'never typed' })
    const ran = await play(world, 'openai', [
      computerCall(
        'a',
        { type: 'screenshot' },
        { type: 'move', x: x - 40, y: y - 40 },
        { type: 'click', button: 'left', x, y },
        { type: 'click', button: 'right', x, y },
        { type: 'click', button: 'wheel', x, y },
        { type: 'click', button: 'left', x: x + 60, y, keys: ['SHIFT'] },
        { type: 'double_click', x: x - 60, y },
        {
          type: 'drag',
          path: [
            { x: x - 80, y: y - 80 },
            { x, y },
            { x: x + 80, y },
          ],
        },
        { type: 'scroll', x, y, scroll_x: 0, scroll_y: 200 },
        { type: 'scroll', x, y, scroll_x: -100, scroll_y: 0, keys: ['CTRL'] },
        { type: 'keypress', keys: ['CTRL', 'SHIFT', 'T'] },
        { type: 'keypress', keys: ['PAGEDOWN'] },
        { type: 'wait' },
        { type: 'click', button: 'left', ...field },
        { type: 'keypress', keys: ['CTRL', 'A'] },
        { type: 'type', text: 'für Bo' },
      ),
      failing('b', { type: 'click', button: 'left', x: 5_000, y: 5 }),
      failing('c', { type: 'click', button: 'back', x, y }),
      failing('d', { type: 'pinch', x, y }),
      answered('done'),
    ])
    expect(ran).toMatchObject({ code: 0, out: 'done\n' })
    const words = ran.requests.slice(1).map((r) => (r.input as { content?: { text: string }[] }[])[1]?.content?.[0]?.text)
    expect(words).toEqual([
      undefined,
      expect.stringContaining('outside of the picture'),
      expect.stringContaining('no button back'),
      expect.stringContaining('no action of the computer tool'),
    ])
    const wanted = [
      'moved',
      ...click(),
      ...click(3),
      ...click(2),
      ...click(1, ' shift'),
      'double 1',
      'press 1',
      'dragged',
      'release 1',
      ...times(2, 'wheel down'),
      'wheel left ctrl',
      'down T shift ctrl',
      'down Page_Down',
      'field für Bo',
    ]
    expect(inOrder(plain(told()), wanted)).toEqual(wanted)
    expect(readFileSync(seen, 'utf8')).not.toContain('never typed')
  })

  test('each action of Gemini that a desktop can do does what it says, by a grid of 1,000', async () => {
    const { width, height } = { width: 1280, height: 800 }
    const grid = (p: { x: number; y: number }) => ({ x: (p.x / width) * 1_000, y: (p.y / height) * 1_000 })
    const [from, to] = [grid({ x: at.x - 80, y: at.y - 80 }), grid({ x: at.x + 80, y: at.y + 80 })]
    const ran = await play(world, 'gemini', [
      turn(functionCall('hover_at', from), functionCall('click_at', grid(at))),
      turn(
        functionCall('drag_and_drop', { ...from, destination_x: to.x, destination_y: to.y }),
        functionCall('scroll_at', { ...grid(at), direction: 'down', magnitude: 300 }),
        functionCall('scroll_document', { direction: 'up' }),
        functionCall('key_combination', { keys: 'control+shift+t' }),
      ),
      turn(
        functionCall('type_text_at', { ...grid(field), text: 'für Cleo', press_enter: true }),
        functionCall('wait_5_seconds', {}),
        functionCall('click_at', { x: 1_001, y: 0 }),
        functionCall('open_web_browser', {}),
      ),
      turn({ text: 'done' }),
    ])
    expect(ran).toMatchObject({ code: 0, out: 'done\n' })
    const responses = (ran.requests.at(-1).contents as { parts: { functionResponse?: { name: string; response: { error?: string } } }[] }[])
      .flatMap((c) => c.parts)
      .flatMap((p) => (p.functionResponse === undefined ? [] : [p.functionResponse]))
    expect(responses.flatMap(({ name, response: { error } }) => (error === undefined ? [] : [[name, error.split(':')[0]]]))).toEqual([
      ['click_at', 'BAD_ARGS'],
      ['open_web_browser', 'NOT_CAPABLE'],
    ])
    const wanted = [
      'moved',
      ...click(),
      'press 1',
      'dragged',
      'release 1',
      ...times(3, 'wheel down'),
      ...times(8, 'wheel up'),
      'down T shift ctrl',
      'field für Cleo',
      'enter',
    ]
    expect(inOrder(plain(told()), wanted)).toEqual(wanted)
  })
})

/** The width and height of the picture in a result. */
function sizeOf(result: unknown): number[] {
  const { content } = result as { content: { type: string; source?: { data: string } }[] }
  const png = Buffer.from(content.find((c) => c.type === 'image')?.source?.data ?? '', 'base64')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}
