import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BIN, World, type Finished } from '../support/cli.ts'
import { describeDesktop } from '../support/desktop.ts'

const root = resolve(import.meta.dirname, '../..')
const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((f) => `docs/${f}`)].filter((f) => f.endsWith('.md'))
const texts = pages.map((page) => readFileSync(join(root, page), 'utf8'))

/** Every command line with `deskhand` in it that a page shows, in a line of code or in a block. */
const shown = new Set(
  texts
    .flatMap((text) => [...text.matchAll(/`(deskhand [^`\n]+)`/g), ...text.matchAll(/^(deskhand [a-z][^\n]*)$/gm)])
    .map(([, line = '']) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => !line.includes('everything above')),
)

/** Run as the pages write them, one after the other, where a simulated desktop is up; with the exit code and what is told. */
const RUN: [command: string, code: number, told: RegExp][] = [
  ['deskhand doctor', 0, /virtual desktop/],
  ['deskhand status', 0, /virtual/],
  ['deskhand tools --instructions', 0, /python\.run[^]*script\.run|script\.run[^]*python\.run/],
  ['deskhand call ui.click \'{"target":"e12"}\'', 1, /STALE_REF/],
  ['deskhand policy explain ui.click \'{"target":"…"}\'', 2, /BAD_SELECTOR/],
  ['deskhand rehearse plan.json', 0, /2 steps/],
  ['deskhand run task.py', 0, /done/],
  ['deskhand run task.py --rehearse', 0, /moveTo/],
  ['deskhand run task.py --profile strict', 0, /done/],
  ['deskhand run task.py --to-tools > task.jsonl', 0, /done/],
  ['deskhand call --stdin < task.jsonl', 0, /success/],
  ['deskhand approvals list', 0, /^/],
  ['deskhand grants list', 0, /^/],
  ['deskhand journal list', 0, /ui\.click/],
  ['deskhand journal verify', 0, /intact/],
  ['deskhand mode', 0, /simulation_only/],
  ['deskhand pause', 0, /^/],
  ['deskhand resume', 0, /^/],
  ['deskhand stop', 0, /^/],
  ['deskhand resume', 0, /^/],
]

let world: World
beforeAll(async () => {
  world = new World()
  mkdirSync(join(world.dir, 'bin'))
  const command = join(world.dir, 'bin', 'deskhand')
  writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`)
  chmodSync(command, 0o755)
  world.file('task.py', 'pyautogui.moveTo(300, 300)\npyautogui.click()\n')
  world.file('plan.json', JSON.stringify([{ tool: 'ui.snapshot' }, { tool: 'ui.click', args: { target: 'name="Customer"' } }]))
  await world.up()
})
afterAll(() => world.end())

function sh(line: string): Finished {
  const env = { ...world.env, PATH: `${join(world.dir, 'bin')}:${process.env['PATH']}` }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: world.dir, env, encoding: 'utf8' })
  return { code: status, out: stdout, err: stderr }
}

test.each([...shown])('there is such a command, with these options: %s', (line) => {
  const words = line.split(/\s+(?:--\s.*|[<>]\s*\w.*)?/)
  const names = words.slice(1).filter((w) => /^[a-z]+$/.test(w))
  // The longest beginning of the words that is a command.
  const help = names.length > 1 ? sh(`deskhand ${names[0]} ${names[1]} --help`).out : ''
  const own = `${help}\n${sh(`deskhand ${names[0] ?? ''} --help`).out}`
  expect(own).toMatch(new RegExp(`^Usage: deskhand ${names[0] ?? ''}`, 'm'))
  for (const option of line.match(/--[a-z][a-z-]+/g) ?? []) expect(own).toContain(option)
})

test.each(RUN)('what the pages say to run runs: %s', (line, code, told) => {
  const finished = sh(line)
  expect(finished).toMatchObject({ code })
  expect(finished.out + finished.err).toMatch(told)
})

test('npm start shows an agent at work, and ends by itself where it is told to', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const demo = sh(`cd ${root} && ${scripts.start} --once`)
  expect(demo).toMatchObject({ code: 0, out: expect.stringMatching(/ui\.click|clicks|Save/) as string })
})

test('every example starts with plain node', () => {
  const examples = readdirSync(join(root, 'examples')).filter((f) => f.endsWith('.mjs'))
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'examples', example)], {
      cwd: root,
      env: world.env,
      encoding: 'utf8',
    })
    expect({ example, status, stderr }).toEqual({ example, status: 0, stderr: '' })
  }
})

describeDesktop('on a real desktop', () => {
  test('the example of a sandbox file comes up in its size, with its view, and goes down again', () => {
    const up = sh(`cd ${root} && deskhand desktop up --file examples/gui-enabled.yaml`)
    expect(up).toMatchObject({ code: 0, out: expect.stringMatching(/is up on :\d+, 1920x1080\n[^]*vnc\.sock/) as string })
    expect(sh('deskhand desktop down')).toMatchObject({ code: 0, out: expect.stringContaining('1 taken down') as string })
  })
})
