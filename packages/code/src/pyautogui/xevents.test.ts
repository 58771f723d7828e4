import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { recordingPort, type Performed, type RecordingPort } from './fixtures/recording-port.ts'
import { XServer, type XEvent } from './fixtures/xserver.ts'
import { interpretScript, type ScriptResult } from './run.ts'

const recorded = JSON.parse(readFileSync(new URL('fixtures/pyautogui-x-events.json', import.meta.url), 'utf8')) as {
  case: string
  events: XEvent[]
}[]

/** The call behind each recorded case, in the order of the recording: the pointer stays where the last one left it. */
const CALLS: Record<string, string> = {
  'moveTo(100,200)': 'pyautogui.moveTo(100, 200)',
  'moveTo dur .3': 'pyautogui.moveTo(400, 200, duration=0.3)',
  'click(300,300)': 'pyautogui.click(300, 300)',
  'click float': 'pyautogui.click(172.8, 640.4)',
  doubleClick: 'pyautogui.doubleClick(310, 310)',
  tripleClick: 'pyautogui.tripleClick(310, 310)',
  'click right': "pyautogui.click(310, 310, button='right')",
  'click clicks2 int.1': 'pyautogui.click(310, 310, clicks=2, interval=0.1)',
  'dragTo dur0': 'pyautogui.dragTo(500, 500)',
  'dragTo .2': 'pyautogui.dragTo(600, 500, duration=0.2)',
  'scroll -3': 'pyautogui.scroll(-3)',
  'scroll 3 xy': 'pyautogui.scroll(3, x=700, y=700)',
  'hscroll 2': 'pyautogui.hscroll(2)',
  'press enter': "pyautogui.press('enter')",
  'press list': "pyautogui.press(['a', 'b'])",
  'press presses3': "pyautogui.press('tab', presses=3)",
  'hotkey ctrl c': "pyautogui.hotkey('ctrl', 'c')",
  'hotkey ctrl shift t': "pyautogui.hotkey('ctrl', 'shift', 't')",
  'hotkey list': "pyautogui.hotkey(['ctrl', 'v'])",
  'typewrite aA!': "pyautogui.typewrite('aA! 1')",
  'typewrite nl': "pyautogui.typewrite('a\\nb\\t')",
  'typewrite uni': "pyautogui.typewrite('é漢x')",
  'write unknown key press': "pyautogui.press('nosuchkey')",
  'keyDown/Up shift': "pyautogui.keyDown('shift'); pyautogui.press('a'); pyautogui.keyUp('shift')",
  'mouseDown/up': 'pyautogui.mouseDown(10, 10); pyautogui.mouseUp(20, 20)',
  moveRel: 'pyautogui.moveRel(5, -5)',
  offscreen: 'pyautogui.moveTo(5000, 5000)',
  negative: 'pyautogui.moveTo(-10, -10)',
  'press upper': "pyautogui.press('A')",
  'press Enter cap': "pyautogui.press('Enter')",
  'press win': "pyautogui.press('win')",
  'press cmd': "pyautogui.press('cmd')",
  'write interval': "pyautogui.write('ab', interval=0.05)",
}

/** Where PyAutoGUI is wrong, and what happens here instead. */
const BETTER: Record<string, (performed: Performed[], result: ScriptResult) => void> = {
  'typewrite uni': (performed) => {
    expect(performed.map((p) => p.kind)).toEqual(['type', 'keys'])
    expect(performed[0]?.args).toEqual({ text: 'é漢' })
    expect(performed[1]?.args).toEqual({
      events: [
        { type: 'down', key: 'x' },
        { type: 'up', key: 'x' },
      ],
    })
  },
  'write unknown key press': (performed, result) => {
    expect(performed).toEqual([])
    expect(result.detail).toContain("there is no key 'nosuchkey' on this desktop")
  },
  'press cmd': (performed) =>
    expect(performed.map((p) => p.args)).toEqual([
      {
        events: [
          { type: 'down', key: 'Meta' },
          { type: 'up', key: 'Meta' },
        ],
      },
    ]),
}

const port = recordingPort()
const x = new XServer()

describe('the events of each recorded call reach the desktop as PyAutoGUI sent them', () => {
  for (const { case: name, events } of recorded) {
    test(name, async () => {
      const { performed, result } = await run(port, CALLS[name] ?? '')
      const better = BETTER[name]
      if (better) return better(performed, result)
      expect(result.detail).toMatch(/^done/)
      expect(x.translate(performed)).toEqual(events)
    })
  }

  test('every recorded case is here', () => {
    expect(recorded.map((r) => r.case).sort()).toEqual(Object.keys(CALLS).sort())
    expect(recorded).toHaveLength(33)
  })
})

test('a duration spreads its pauses evenly before the moves', async () => {
  const { performed } = await run(recordingPort(), 'pyautogui.moveTo(105, 6, duration=0.2)')
  expect(performed[0]?.args).toEqual({
    events: [5, 30, 55, 80, 105].flatMap((px) => [
      { type: 'pause', ms: 50 },
      { type: 'move', x: px, y: 6 },
    ]),
  })
})

async function run(on: RecordingPort, script: string): Promise<{ performed: Performed[]; result: ScriptResult }> {
  const before = on.performed.length
  const result = await interpretScript(script, { port: on, pause: 0 })
  return { performed: on.performed.slice(before), result }
}
