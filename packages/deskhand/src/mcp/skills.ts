import { createHash } from 'node:crypto'
import type { Resource, Server } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { DeskhandError } from '@deskhand/core/errors'
import { SKILL_NAME, skillFiles, type SkillFile } from '../skill/skill.ts'

/** The extension of MCP by which a server offers skills. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

/** They come with the version of the server and are the same for everybody. */
const LASTING = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'public' } as const

/** Made once: a server over HTTP is made for every request. */
let known: ReadonlyMap<string, SkillFile> | undefined
const skill = (): ReadonlyMap<string, SkillFile> => (known ??= new Map(skillFiles().map((file) => [uriOf(file), file])))
const ANYTHING = { params: z.looseObject({}) }
const NAMED = { params: z.looseObject({ uri: z.string() }) }

/** Offers the skill to clients that read skills from servers. */
export function serveSkills(server: Server): void {
  const files = skill()
  server.setRequestHandler('skills/list', ANYTHING, async () => ({ ...LASTING, skills: [await entryOf(files)] }))
  server.setRequestHandler('skills/get', NAMED, async ({ uri }) => {
    const file = mustBeThere(files, uri)
    return { ...LASTING, skill: await entryOf(files), contents: [contentOf(file)] }
  })
}

/** The same as plain resources, for all other clients. */
export const skillResources = (): Resource[] =>
  [...skill()].map(([uri, file]) => ({ uri, name: file.path, mimeType: 'text/markdown', size: sizeOf(file) }))

export function skillContent(uri: string): ReturnType<typeof contentOf> | undefined {
  const file = skill().get(uri)
  return file && contentOf(file)
}

const uriOf = ({ path }: SkillFile): string => `skill://${SKILL_NAME}/${path}`

const sizeOf = ({ text }: SkillFile): number => Buffer.byteLength(text)

function mustBeThere(files: ReadonlyMap<string, SkillFile>, uri: string): SkillFile {
  const file = files.get(uri)
  if (file === undefined)
    throw new DeskhandError('NOT_FOUND', `there is no ${JSON.stringify(uri)}`, { next: `Use one of: ${[...files.keys()].join(', ')}.` })
  return file
}

const contentOf = (file: SkillFile) => ({ uri: uriOf(file), mimeType: 'text/markdown', text: file.text })

async function entryOf(files: ReadonlyMap<string, SkillFile>) {
  const { parse } = await import('yaml')
  const [[uri = '', first] = []] = files
  const frontmatter: unknown = parse(/^---\n(.*?)\n---/s.exec(first?.text ?? '')?.[1] ?? '')
  const resources = [...files].map(([at, file]) => ({
    uri: at,
    digest: `sha256:${createHash('sha256').update(file.text).digest('hex')}`,
    size: sizeOf(file),
  }))
  return { uri, frontmatter, resources }
}
