import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DeskhandError } from '@deskhand/core/errors'
import { SKILL_NAME, skillFiles } from '../skill/skill.ts'
import { agreed } from './agreed.ts'

/** Where agents look for skills, in a project or in a home folder. */
const FOLDERS: Record<string, string> = {
  agents: '.agents/skills',
  claude: '.claude/skills',
  codex: '.codex/skills',
  gemini: '.gemini/skills',
  copilot: '.github/skills',
}

interface Options {
  for: string
  user?: boolean
  yes?: boolean
  remove?: boolean
}

/** Prints what an agent with a shell should read. */
export function print(): void {
  process.stdout.write(skillFiles()[0]?.text ?? '')
}

/** Puts the skill where an agent looks for it, or takes it away again; asks first. */
export async function install(options: Options): Promise<void> {
  const folder = Object.hasOwn(FOLDERS, options.for) ? FOLDERS[options.for] : undefined
  if (folder === undefined)
    throw new DeskhandError('BAD_ARGS', `there is no agent ${JSON.stringify(options.for)}`, {
      next: `Use one of: ${Object.keys(FOLDERS).join(', ')}.`,
    })
  const dir = resolve(options.user ? homedir() : '.', folder, SKILL_NAME)
  const files = skillFiles().map(({ path, text }) => ({ file: join(dir, path), text }))
  if (options.remove && !existsSync(dir)) return say(`there is nothing at ${dir}`)
  const question = options.remove ? `remove ${dir}` : `write ${files.map(({ file }) => file).join(', ')}`
  if (!(await agreed(question, options.yes))) return say('nothing was changed')
  if (options.remove) {
    rmSync(dir, { recursive: true })
    return say(`removed ${dir}`)
  }
  for (const { file, text } of files) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    say(`wrote ${file}`)
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
