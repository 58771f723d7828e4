import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What an agent with a shell reads, in the form of Agent Skills: a folder with SKILL.md. */
export const SKILL_DIR = fileURLToPath(new URL('../../skills/deskhand', import.meta.url))
export const SKILL_NAME = 'deskhand'

export interface SkillFile {
  /** Inside the folder, with slashes. */
  path: string
  text: string
}

/** Every file of the skill, SKILL.md first. */
export function skillFiles(dir = SKILL_DIR): SkillFile[] {
  const read = (path: string): SkillFile => ({ path, text: readFileSync(join(dir, path), 'utf8') })
  const others = readdirSync(join(dir, 'references')).toSorted()
  return [read('SKILL.md'), ...others.map((name) => read(`references/${name}`))]
}
