import type { Result } from '@deskhand/core/model'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { recordingPort, SCREEN } from './fixtures/recording-port.ts'
import { realClock, type ScriptPort, type Question } from './script-port.ts'
import { PauseSwitch } from './fixtures/pause-switch.ts'
import { rehearsing } from './rehearse.ts'
import { parseAgentReply } from './reply.ts'
import { interpretScript, type RunOptions, type ScriptResult } from './run.ts'

const run = (script: string, options: Partial<RunOptions> = {}): Promise<ScriptResult> =>
  interpretScript(script, { port: recordingPort(), pause: 0, ...options })
const failing = (code: string, message = 'no'): Partial<Result> => ({
  status: 'error',
  sent: 'none',
  effect: 'refused',
  error: { code, message, next: 'n', retry: 'never' },
})

describe('the manual tests of the specification', () => {
  test.each([
    ['pyautogui.moveTo(100, 100); pyautogui.click()', 'ok'],
    ['import os', 'error'],
    ['open("x.txt","w")', 'error'],
    ['time.sleep(0.5)', 'ok'],
  ])('%j ends %s in both profiles', async (script, status) => {
    for (const profile of ['strict', 'agent'] as const) expect(await run(script, { profile })).toMatchObject({ status })
  })
})

test('a reply is parsed and its scripts run, until the model says it is done', async () => {
  const port = recordingPort()
  const reply = "I click first.\n```python\npyautogui.click(5, 5)\n```\n---DELIMITER---\npyautogui.write('hi')\n---DELIMITER---\nDONE"
  for (const part of parseAgentReply(reply)) {
    if (part.kind === 'done') break
    if (part.kind === 'script') expect((await run(part.script, { port })).status).toBe('ok')
  }
  expect(port.performed.map((p) => p.kind)).toEqual(['pointer', 'keys'])
})

test('the answer names every call with its line, its decision, its target and its effect', async () => {
  const decision = { verdict: 'allow', reason: 'r', obligations: {} } as const
  const resolvedTarget = { role: 'button', name: 'OK', confidence: 1 }
  const port = recordingPort((kind) => (kind === 'pointer' ? { decision, resolvedTarget, effect: 'confirmed', op: 'op-7' } : undefined))
  const { steps, status, detail } = await run("x = 5\npyautogui.click(x, y=6)\npyautogui.write('secret')\n", { port })
  expect({ status, detail }).toEqual({ status: 'ok', detail: 'done, 2 calls' })
  expect(steps[0]).toEqual({
    line: 2,
    column: 1,
    call: 'pyautogui.click(5, y=6)',
    ops: ['op-0', 'op-7'],
    decision,
    target: resolvedTarget,
    sent: 'all',
    effect: 'confirmed',
  })
  expect(steps[1]).toMatchObject({ line: 3, call: 'pyautogui.write(<6 characters>)' })
})

test('what a script printed is in the answer, also when it fails', async () => {
  expect(await run("print('a')\n1 / 0")).toMatchObject({
    status: 'error',
    output: 'a\n',
    detail: 'line 2: ZeroDivisionError: division by zero',
    error: { code: 'SCRIPT_FAILED', line: 2 },
  })
})

describe('an action that fails', () => {
  test.each([
    'DENIED',
    'STOPPED',
    'CANCELLED',
    'APPROVAL_DENIED',
    'APPROVAL_NEEDED',
    'MODE_TOO_LOW',
    'HUMAN_AT_CONTROLS',
    'LEASE_LOST',
    'JOURNAL_FAILED',
    'DRIVER_DEAD',
  ])('with %s ends the script, whatever it catches', async (code) => {
    const port = recordingPort((kind) => (kind === 'pointer' ? failing(code, 'because') : undefined))
    const result = await run(
      "try:\n    pyautogui.click(5, 5)\nexcept BaseException:\n    print('caught')\nfinally:\n    pyautogui.press('a')\n",
      { port },
    )
    expect(result).toMatchObject({ status: 'error', output: '', detail: 'line 2: because', error: { code, line: 2 } })
    expect(result.steps).toMatchObject([{ line: 2, error: { code } }])
    expect(port.performed.map((p) => p.kind)).toEqual(['pointer'])
    expect(port.released).toBe(1)
  })

  test.each(['NOT_FOUND', 'NOT_ACTIONABLE', 'VERIFY_FAILED', 'NOT_CAPABLE', 'TIMEOUT'])(
    'with %s is an exception that the script may handle',
    async (code) => {
      const port = recordingPort((kind) => (kind === 'pointer' ? failing(code, 'because') : undefined))
      const result = await run(
        "try:\n    pyautogui.click(5, 5)\nexcept pyautogui.PyAutoGUIException as e:\n    print(e)\npyautogui.press('a')",
        { port },
      )
      expect(result).toMatchObject({ status: 'ok', output: `${code}: because\n` })
    },
  )

  test('by an unknown error of the port ends the script', async () => {
    const port: ScriptPort = { ...recordingPort(), perform: () => Promise.reject(new Error('boom')) }
    expect(await run('try:\n    pyautogui.press("a")\nexcept:\n    pass', { port })).toMatchObject({
      status: 'error',
      detail: 'line 2: boom',
      error: { code: 'INTERNAL' },
    })
  })
})

describe('an abort', () => {
  test.each([
    ['a busy loop', 'while True:\n    try:\n        while True: pass\n    except:\n        pass\n    finally:\n        pass'],
    ['a sleep', 'try:\n    time.sleep(500)\nexcept:\n    pass'],
    ['an action that never answers', "try:\n    pyautogui.press('x')\nfinally:\n    print('finally')"],
    ['a sort with a slow key', 'sorted(range(40000), key=lambda v: [i for i in range(100)])'],
  ])('ends %s, past every handler, and lets go of the keys', async (_name, script) => {
    const port = recordingPort()
    const stuck: ScriptPort = {
      ...port,
      clock: realClock,
      release: port.release,
      perform: async (kind, args, origin) =>
        kind === 'keys' ? await new Promise<never>(() => {}) : await port.perform(kind, args, origin),
    }
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 20)
    const result = await run(script, { port: stuck, signal: abort.signal, limits: { steps: Infinity } })
    expect(result).toMatchObject({ status: 'error', output: '', error: { code: 'CANCELLED' } })
    expect(port.released).toBe(1)
  })

  test('before the start keeps everything still', async () => {
    const port = recordingPort()
    expect(await run('pyautogui.click(5, 5)', { port, signal: AbortSignal.abort() })).toMatchObject({
      status: 'error',
      error: { code: 'CANCELLED' },
    })
    expect(port.performed).toEqual([])
  })
})

describe('the budget', () => {
  test.each([
    ['steps', 'while True: pass', 'used up its 1000 steps'],
    ['calls', 'while True: time.sleep(0)', 'used up its 20 calls'],
    ['wallMs', 'while True: time.sleep(1)', 'ran longer than its 5 seconds'],
    ['text', "x = 'a' * 2000", 'longer than 1000 characters'],
    ['items', 'x = [0] * 2000', 'more than 1000 elements'],
    ['bits', 'x = 2 ** 5000', 'more than 1024 bits'],
    ['memory', 'x = [[0] * 900 for i in range(90)]', 'used up its memory'],
    ['output', "while True: print('x' * 100)", 'printed more than 500 characters'],
    ['frames', 'def f(): f()\nf()', 'used up its 50 function calls inside each other'],
  ])('of %s holds and cannot be caught', async (_name, script, why) => {
    const limits = { steps: 1000, calls: 20, wallMs: 5000, text: 1000, items: 1000, bits: 1024, memory: 5000, output: 500, frames: 50 }
    const caught = `try:\n${script.replaceAll(/^/gm, '    ')}\nexcept BaseException:\n    pass\n`
    for (const s of [script, caught])
      expect(await run(s, { limits })).toMatchObject({
        status: 'error',
        detail: expect.stringContaining(why),
        error: { code: 'SCRIPT_FAILED' },
      })
  })

  test('a wait that would pass the time limit ends at once', async () => {
    expect(await run('time.sleep(10 ** 6)')).toMatchObject({
      status: 'error',
      detail: 'line 1: the script ran longer than its 600 seconds',
    })
    expect(await run('pyautogui.moveTo(9, 9, duration=10 ** 6)')).toMatchObject({ status: 'error' })
  })
})

test('a paused script waits before its next step until it is resumed', async () => {
  const port = recordingPort()
  const pauses = new PauseSwitch()
  const observer = { after: () => pauses.pause() }
  const ended = run("pyautogui.press('a')\npyautogui.press('b')\n", { port, pauses, observer })
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(port.performed).toHaveLength(1)
  pauses.resume()
  expect(await ended).toMatchObject({ status: 'ok' })
  expect(port.performed).toHaveLength(2)
})

test('a pause lets go of what is held, and a script that held something ends when it is resumed', async () => {
  let rested = 0
  const port = { ...recordingPort(), rest: async () => void rested++ }
  const pauses = new PauseSwitch()
  const observer = { after: ({ line }: { line: number }) => void (line === 2 && pauses.pause()) }
  const ended = run("pyautogui.press('x')\npyautogui.keyDown('shift')\npyautogui.click(5, 5)\n", { port, pauses, observer })
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(rested).toBe(1)
  pauses.resume()
  expect(await ended).toMatchObject({
    status: 'error',
    detail: 'line 3: Shift was let go while the operator had paused the script',
  })
  expect(port.performed.map((p) => p.line)).toEqual([1, 2])
})

test('the time of a pause is not the script’s', async () => {
  const port = recordingPort()
  const pauses = new PauseSwitch()
  const observer = { after: () => pauses.pause() }
  const ended = run("pyautogui.press('a')\npyautogui.press('b')", { port, pauses, observer, limits: { wallMs: 60_000 } })
  await new Promise((resolve) => setTimeout(resolve, 20))
  await port.clock.sleep(10 ** 6, new AbortController().signal)
  pauses.resume()
  expect(await ended).toMatchObject({ status: 'ok' })
})

test('what was paused and aborted does nothing more when the others are resumed', async () => {
  const port = recordingPort()
  const pauses = new PauseSwitch()
  pauses.pause()
  const abort = new AbortController()
  const ended = run("pyautogui.press('a')", { port, pauses, signal: abort.signal })
  abort.abort()
  expect(await ended).toMatchObject({ error: { code: 'CANCELLED' } })
  pauses.resume()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(port.performed).toEqual([])
})

test('a paused script can be aborted', async () => {
  const pauses = new PauseSwitch()
  pauses.pause()
  const abort = new AbortController()
  setTimeout(() => abort.abort(), 10)
  expect(await run("pyautogui.press('a')", { pauses, signal: abort.signal })).toMatchObject({
    status: 'error',
    error: { code: 'CANCELLED' },
  })
})

test('an observer sees each call before it is made and can hold it back', async () => {
  const port = recordingPort()
  const seen: string[] = []
  const observer = {
    before: async ({ line, name, args, kwargs }: { line: number; name: string; args: string[]; kwargs: Record<string, string> }) => {
      await Promise.resolve()
      seen.push(`${line} ${name} ${args.join()} ${JSON.stringify(kwargs)} ${port.performed.length}`)
    },
  }
  await run("pyautogui.click(5, 5, clicks=2)\npyautogui.press(['a'])", { port, observer })
  expect(seen).toEqual(['1 pyautogui.click 5,5 {"clicks":"2"} 0', "2 pyautogui.press ['a'] {} 1"])
})

test('relative coordinates are parts of the desktop, where the run says so', async () => {
  const port = recordingPort()
  await run('pyautogui.moveTo(x=0.5, y=0.25)\npyautogui.moveTo(100, 0.5)\npyautogui.moveTo(300.7, 20)\npyautogui.moveTo(1.0, 1.0)', {
    port,
    relativeCoordinates: true,
  })
  expect(port.performed.flatMap((p): object[] => ('events' in p.args ? p.args.events : []))).toEqual([
    { type: 'move', x: 960, y: 270 },
    { type: 'move', x: 100, y: 540 },
    { type: 'move', x: 300, y: 20 },
    { type: 'move', x: 1919, y: 1079 },
  ])
  await run('pyautogui.moveTo(x=0.5, y=0.25)', { port })
  expect(port.performed.at(-1)?.args).toEqual({ events: [{ type: 'move', x: 0, y: 0 }] })
})

describe('off the screen', () => {
  const run = async (script: string) => {
    const port = recordingPort()
    const { status, detail } = await interpretScript(script, { port, pause: 0 })
    const pressed = port.performed.some((p) => 'events' in p.args && p.args.events.some((e) => e.type === 'down' || e.type === 'wheel'))
    return { status, detail, pressed }
  }

  test.each([
    'pyautogui.click(5000, 300)',
    'pyautogui.doubleClick(-1, 300)',
    'pyautogui.mouseDown(300, 1080)',
    'pyautogui.scroll(3, 1920, 5)',
    'pyautogui.moveTo(5000, 300); pyautogui.click()',
    'pyautogui.moveTo(5000, 300); pyautogui.scroll(1)',
    'pyautogui.moveTo(5000, 300); pyautogui.dragTo(5, 5)',
    'pyautogui.moveTo(300, 300); pyautogui.dragTo(300, 2000)',
    'pyautogui.moveTo(300, 300); pyautogui.dragRel(0, 2000)',
  ])('%s presses nothing and says where the screen ends', async (script) => {
    const detail = expect.stringMatching(/is outside the screen, which is 1920x1080/) as string
    expect(await run(script)).toEqual({ status: 'error', detail, pressed: false })
  })

  test('a move ends at the edge, and what is pressed after another move is pressed there', async () => {
    expect(await run('pyautogui.moveTo(5000, 300)\nprint(pyautogui.position())')).toMatchObject({ status: 'ok' })
    expect(await run('pyautogui.moveTo(5000, 300)\npyautogui.moveRel(-50, 0)\npyautogui.click()')).toMatchObject({
      status: 'ok',
      pressed: true,
    })
  })
})

test('several screens make one desktop', async () => {
  const screens = [SCREEN, { ...SCREEN, id: 't', bounds: { x: -800, y: 0, w: 800, h: 600 }, primary: false }]
  const port = recordingPort((kind) => (kind === 'screens' ? { data: { screens, pointer: { x: 0, y: 0 } } } : undefined))
  const { output } = await run('print(pyautogui.size(), pyautogui.onScreen(-5, 5))\npyautogui.moveTo(-9999, 5)', { port })
  expect(output).toBe('Size(width=2720, height=1080) True\n')
  expect(port.performed[0]?.args).toEqual({ events: [{ type: 'move', x: -800, y: 5 }] })
})

test('PAUSE is waited after each call, and a script may change it', async () => {
  const port = recordingPort()
  const start = port.clock.now()
  await run("pyautogui.press('a')\npyautogui.PAUSE = 2\npyautogui.press('b')\npyautogui.press('c', _pause=False)\npyautogui.position()", {
    port,
    pause: 0.5,
  })
  expect(port.clock.now() - start).toBe(2500)
})

describe('questions go to the operator', () => {
  const asked: Question[] = []
  const port: ScriptPort = {
    ...recordingPort(),
    ask: async (question) => {
      asked.push(question)
      return question.kind === 'password' ? 'hunter2' : 'buttons' in question ? (question.buttons.at(-1) ?? null) : null
    },
  }

  test('with their texts and buttons', async () => {
    const { output } = await run(
      "print(pyautogui.alert('a', 'b'), pyautogui.confirm('c', buttons=['x', 'y']), pyautogui.prompt('d', default='e'))",
      { port },
    )
    expect(output).toBe('OK y None\n')
    expect(asked).toEqual([
      { kind: 'alert', text: 'a', title: 'b', buttons: ['OK'] },
      { kind: 'confirm', text: 'c', title: '', buttons: ['x', 'y'] },
      { kind: 'prompt', text: 'd', title: '', default: 'e' },
    ])
  })

  test('and a password can be typed, but not looked at', async () => {
    const recorder = recordingPort()
    const both: ScriptPort = { ...recorder, ask: port.ask?.bind(port) }
    const result = await run(
      "p = pyautogui.password()\nprint(p, str(p), f'{p}', [p], p == 'hunter2', bool(p))\nfor f in [len, list, int, sorted, iter, lambda v: v + '', lambda v: v[0], lambda v: v.upper(), lambda v: ''.join(v), lambda v: pyperclip.copy(v), lambda v: '%d' % v, lambda v: pyautogui.press(v), lambda v: 'h' in v]:\n    try:\n        print(f(p))\n    except Exception as e:\n        print(type(e).__name__)\npyautogui.write(p)\n",
      { port: both },
    )
    expect(JSON.stringify(result)).not.toContain('hunter2')
    expect(result.output).toMatch(/^<password> <password> <password> \[<password>\] False True\n(?:\w+(?:Error|Exception)\n){13}$/)
    expect(recorder.performed).toMatchObject([
      { kind: 'type', args: { text: 'hunter2', redactInLogs: true }, call: 'pyautogui.write(<hidden>)' },
    ])
  })

  test('without an operator they are an error that says so', async () => {
    expect((await run("pyautogui.alert('x')")).detail).toContain('NOT_CAPABLE: no operator can be asked here')
  })
})

describe('looking', () => {
  test('pixels, screenshots and colors come from a capture', async () => {
    const { output, status } = await run(
      'im = pyautogui.screenshot(region=(10, 20, 30, 40))\nprint(im.size, im.getpixel((0, 0)), im.getpixel((5, 6)), im.crop((1, 2, 4, 8)).size, im)\nprint(pyautogui.pixel(7, 9), pyautogui.pixel(7, 9).green, pyautogui.pixelMatchesColor(7, 9, (7, 9, 7)), pyautogui.pixelMatchesColor(7, 9, (9, 9, 9)), pyautogui.pixelMatchesColor(7, 9, (9, 9, 9), tolerance=2))',
    )
    expect(status).toBe('ok')
    expect(output).toBe('(30, 40) (10, 20, 7) (15, 26, 7) (3, 6) <Image size=30x40>\nRGB(red=7, green=9, blue=7) 9 True False True\n')
  })

  test('images are searched by the port, under plain names', async () => {
    const searches: unknown[] = []
    const port: ScriptPort = {
      ...recordingPort(),
      locate: async (search) => {
        searches.push(search)
        return 'name' in search.needle && search.needle.name === 'ok.png' ? [{ x: 10, y: 20, w: 30, h: 41 }] : []
      },
    }
    const { output, detail } = await run(
      "print(pyautogui.locateOnScreen('ok.png', confidence=0.9, region=(1, 2, 3, 4)), pyautogui.locateCenterOnScreen('ok.png'), pyautogui.locateAllOnScreen('ok.png'))\npyautogui.click('ok.png')\nprint(pyautogui.position())\ntry:\n    pyautogui.locateOnScreen('no.png', minSearchTime=1)\nexcept pyautogui.ImageNotFoundException:\n    print('missing')\npyautogui.useImageNotFoundException(False)\nprint(pyautogui.locateOnScreen('no.png'), pyautogui.locate(pyautogui.screenshot(), pyautogui.screenshot()))",
      { port },
    )
    expect(detail).toMatch(/^done/)
    expect(output).toBe(
      'Box(left=10, top=20, width=30, height=41) Point(x=25, y=40) [Box(left=10, top=20, width=30, height=41)]\nPoint(x=25, y=40)\nmissing\nNone None\n',
    )
    expect(searches[0]).toEqual({
      needle: { name: 'ok.png' },
      grayscale: false,
      limit: 1,
      confidence: 0.9,
      region: { x: 1, y: 2, w: 3, h: 4 },
    })
  })

  test('where images cannot be searched, the error says so', async () => {
    expect((await run("pyautogui.click('ok.png')")).detail).toContain('NOT_CAPABLE: there is no image search on this desktop')
  })
})

test('random numbers repeat under the same seed', async () => {
  const script = 'print([random.random() for _ in range(3)])'
  expect((await run(script, { seed: 7n })).output).toBe((await run(script, { seed: 7n })).output)
  expect((await run(script)).output).not.toBe((await run(script)).output)
})

test('a rehearsal goes the whole way and moves nothing', async () => {
  const planned: string[] = []
  const plan: ScriptPort = {
    ...recordingPort(),
    perform: async (kind, _args, { line }) => {
      planned.push(`${line} ${kind}`)
      return {
        status: 'success',
        retry: 'safe',
        op: 'plan',
        sent: 'none',
        effect: 'unverified',
        data: kind === 'screens' ? { screens: [SCREEN], pointer: { x: 1, y: 1 } } : undefined,
      }
    },
  }
  const script =
    "pyautogui.moveTo(300, 300)\nprint(pyautogui.position())\ntime.sleep(500)\npyperclip.copy('x')\nprint(pyperclip.paste(), pyautogui.confirm('go?'))\npyautogui.click()"
  const result = await run(script, { port: rehearsing(plan) })
  expect(result).toMatchObject({ status: 'ok', output: 'Point(x=300, y=300)\nx OK\n' })
  expect(planned).toEqual(['1 screens', '1 pointer', '2 screens', '4 clipboard_write', '5 clipboard_read', '6 screens', '6 pointer'])
})

test('a port that never lets go does not keep the run open', async () => {
  const port: ScriptPort = { ...recordingPort(), release: () => new Promise(() => {}) }
  expect(await run('x = 1', { port })).toMatchObject({ status: 'ok' })
})

test('the actions of real agents run, but for those named here', async () => {
  const lines = readFileSync(new URL('fixtures/agent-actions.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const refused: string[] = []
  for (const { label, code } of lines.map((line) => JSON.parse(line) as { label: string; code: string })) {
    const result = await run(code, { relativeCoordinates: true })
    if (label === 'syntax-error') expect(result.error?.code, code).toBe('BAD_SCRIPT')
    else if (result.status === 'error') refused.push(result.detail)
  }
  expect(refused).toEqual([
    'line 1, column 1: the module numpy is not available; use lists and the math module',
    'line 1, column 73: pyautogui.type is not available; use pyautogui.write()',
    'line 1, column 18: the module PIL is not available; use pyautogui.screenshot() and getpixel()',
    'line 1, column 32: the module PIL is not available; use pyautogui.screenshot() and getpixel()',
  ])
})
