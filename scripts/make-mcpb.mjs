// Makes deskhand-<version>.mcpb, the bundle that MCP clients install with one click: what is built, with everything it needs from node_modules.
// node scripts/make-mcpb.mjs [file]
import { createWriteStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const deflate = promisify(deflateRaw)
const read = (dir) => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
const main = join(root, 'packages', 'deskhand')
const { name, version, description, license, engines, mcpName } = read(main)
const file = process.argv[2] ?? join(root, `${name}-${version}.mcpb`)
const entry = 'node_modules/deskhand/dist/cli/main.js'

/** The packages that one needs, each with the place that it has in the bundle. */
function* needed(dir, place, seen = new Set()) {
  if (seen.has(place)) return
  seen.add(place)
  yield [dir, place]
  const { dependencies = {}, optionalDependencies = {} } = read(dir)
  for (const one of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = lookup(dir, place, one)
    if (found !== undefined) yield* needed(...found, seen)
    else if (one in dependencies) throw new Error(`${one}, which ${place} needs, is not installed`)
  }
}

/** As node looks: beside the package, then further up. */
function lookup(dir, place, one) {
  const own = join(dir, 'node_modules', one)
  if (existsSync(join(own, 'package.json'))) return [own, `${place}/node_modules/${one}`]
  for (let at = dirname(dir); at.startsWith(root.slice(0, -1)); at = dirname(at)) {
    const there = join(at, 'node_modules', one)
    if (existsSync(join(there, 'package.json'))) return [there, isOwn(one) ? `node_modules/${one}` : relative(root, there)]
  }
  return undefined
}

const isOwn = (one) => one === name || one.startsWith('@deskhand/')

/** Of our own packages what is published; of others all but their pages. None of what only compilers read. */
function* filesOf(dir, place) {
  const { name: own, files } = read(dir)
  if (isOwn(own)) {
    yield [join(dir, 'package.json'), `${place}/package.json`]
    for (const part of files) yield* walk(join(dir, part), `${place}/${part}`)
  } else for (const one of walk(dir, place)) if (!/\.(?:md|markdown)$/i.test(one[0])) yield one
}

function* walk(path, place) {
  if (!existsSync(path)) return
  if (!statSync(path).isDirectory()) {
    if (!/\.(?:map|tsbuildinfo)$|\.d\.[cm]?ts$|\.test\.js$/.test(path)) yield [path, place]
    return
  }
  for (const one of readdirSync(path)) if (one !== 'node_modules') yield* walk(join(path, one), `${place}/${one}`)
}

if (!existsSync(join(main, 'dist', 'cli', 'main.js'))) throw new Error('build it first: npm run build')
const { DEFAULTS } = await import('../packages/deskhand/dist/defaults.js')
const tools = JSON.parse(readFileSync(join(main, 'tools.json'), 'utf8')).filter((t) => DEFAULTS.toolsets.includes(t.toolset))
const manifest = {
  manifest_version: '0.3',
  name,
  display_name: 'Deskhand',
  version,
  description,
  author: { name: mcpName.split('/')[0].replace('io.github.', '') },
  license,
  server: { type: 'node', entry_point: entry, mcp_config: { command: 'node', args: [`\${__dirname}/${entry}`, 'mcp'] } },
  tools: tools.map((t) => ({ name: t.name, description: t.description })),
  // Some packages are of one platform.
  compatibility: { platforms: [process.platform], runtimes: { node: engines.node } },
}

/** Writes a ZIP archive, one file after the other. */
class Zip {
  #out
  #at = 0
  #directory = []

  constructor(path) {
    this.#out = createWriteStream(path)
  }

  async add(place, data) {
    const packed = await deflate(data, { level: 6 })
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(0x0800, 2) // names are UTF-8
    about.writeUInt16LE(8, 4)
    about.writeUInt16LE(0x21, 8) // 1980-01-01: the same files make the same bundle
    about.writeUInt32LE(crc32(data), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(data.length, 18)
    about.writeUInt16LE(Buffer.byteLength(place), 22)
    const central = Buffer.alloc(14)
    central.writeUInt32LE((0o100644 << 16) >>> 0, 6)
    central.writeUInt32LE(this.#at, 10)
    this.#directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), about, central, Buffer.from(place))
    await this.#write(Buffer.from('PK\x03\x04', 'latin1'), about, Buffer.from(place), packed)
  }

  async end(count) {
    const size = this.#directory.reduce((sum, part) => sum + part.length, 0)
    const tail = Buffer.alloc(22)
    tail.write('PK\x05\x06', 'latin1')
    tail.writeUInt16LE(count, 8)
    tail.writeUInt16LE(count, 10)
    tail.writeUInt32LE(size, 12)
    tail.writeUInt32LE(this.#at, 16)
    await this.#write(...this.#directory, tail)
    await new Promise((done, fail) => this.#out.once('error', fail).end(done))
  }

  async #write(...parts) {
    for (const part of parts) {
      this.#at += part.length
      if (!this.#out.write(part)) await new Promise((done) => this.#out.once('drain', done))
    }
  }
}

const zip = new Zip(file)
let count = 1
await zip.add('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
for (const [dir, place] of needed(main, 'node_modules/deskhand'))
  for (const [path, at] of filesOf(dir, place)) {
    await zip.add(at, readFileSync(path))
    count++
  }
await zip.end(count)
process.stdout.write(`${file}: ${count} files, ${(statSync(file).size / 2 ** 20).toFixed(1)} MB\n`)
