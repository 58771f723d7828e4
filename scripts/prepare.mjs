// Makes `npm start` and `npm test` work as the very first command in a fresh clone. Plain JavaScript: nothing is installed yet.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isWindowsReady } from './setup-windows.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const purpose = process.argv[2] ?? 'start'

requireNode(20, 19)
installModules()
build()
if (purpose === 'test') {
  installDebianPackages()
  setUpWindows()
}

function requireNode(major, minor) {
  const [a = 0, b = 0] = process.versions.node.split('.').map(Number)
  if (a < major || (a === major && b < minor)) fail(`Deskhand needs Node ${major}.${minor} or newer; this is ${process.versions.node}.`)
}

/** Installs when the lock file differs from the one that was installed. */
function installModules() {
  const stamp = join(root, 'node_modules', '.deskhand-installed')
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  say('installing npm packages (once)')
  // Not `npm ci`: it gives up where a mirror lacks another platform's optional binary. This keeps to the lock file and leaves it alone.
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stamp, lock)
}

/** Builds when a source is newer than the last build. */
function build() {
  const built = join(root, 'packages', 'deskhand', 'dist', '.built')
  const last = existsSync(built) ? statSync(built).mtimeMs : 0
  const packages = readdirSync(join(root, 'packages')).map((p) => join(root, 'packages', p))
  const newest = Math.max(
    ...packages.flatMap((p) => [newestIn(join(p, 'src')), mtime(join(p, 'package.json')), mtime(join(p, 'tsconfig.json'))]),
  )
  if (newest < last) return
  say('building')
  const started = Date.now()
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', ...packages])
  // The memory of a started Python, so that nobody waits for it at the first python.run; made once for each version.
  run(process.execPath, [join(root, 'packages', 'code', 'dist', 'python', 'bundled', 'make-snapshot.js')])
  buildConsole()
  writeFileSync(built, '')
  say(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

/** The console is bundled when one of its files is newer than the last bundle. */
function buildConsole() {
  const folder = join(root, 'packages', 'console')
  const newest = Math.max(
    newestIn(join(folder, 'src')),
    ...['package.json', 'index.html', 'vite.config.ts'].map((f) => mtime(join(folder, f))),
  )
  if (newest < mtime(join(folder, 'dist', 'index.html'))) return
  run(process.execPath, [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn', folder])
}

/** The real-desktop tests need real programs: installs them where it may, says the line where it may not. */
function installDebianPackages() {
  const wanted = readFileSync(join(root, 'scripts', 'debian-packages.txt'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter(Boolean)
  const query = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${Status}\n', ...wanted], { encoding: 'utf8' })
  if (query.error) return missing(wanted, 'this is no Debian system')
  const there = new Set(
    query.stdout
      .split('\n')
      .filter((l) => l.endsWith('install ok installed'))
      .map((l) => l.split(' ')[0]),
  )
  const absent = wanted.filter((p) => !there.has(p))
  if (absent.length === 0) return
  if (process.getuid?.() !== 0) return missing(absent, 'installing needs root')
  say(`installing ${absent.length} Debian packages for the real-desktop tests (once): ${absent.join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['update', '-q'], env)
  run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...absent], env)
}

/** In CI the Windows of the tests is made; elsewhere it is up to the person, as it takes minutes and two gigabytes. */
function setUpWindows() {
  if (isWindowsReady()) return
  if (process.env.CI) return run(process.execPath, [join(root, 'scripts', 'setup-windows.mjs')])
  say('the tests on Windows are skipped: `npm run setup:windows` makes one with Wine (once, some minutes, 2 GB in the cache folder)')
}

function missing(packages, why) {
  say(`the real-desktop tests need these Debian packages, and ${why}:\n  apt-get install --no-install-recommends ${packages.join(' ')}`)
  if (process.env.CI) fail('they are missing, and in CI nothing is skipped.')
}

function newestIn(dir) {
  if (!existsSync(dir)) return 0
  return Math.max(
    0,
    ...readdirSync(dir, { withFileTypes: true }).map((e) => (e.isDirectory() ? newestIn(join(dir, e.name)) : mtime(join(dir, e.name)))),
  )
}

function mtime(file) {
  return existsSync(file) ? statSync(file).mtimeMs : 0
}

function run(command, args, env = process.env) {
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env })
  if (done.status !== 0) fail(`${command} ${args[0]} failed${done.error ? `: ${done.error.message}` : ''}`)
}

function say(text) {
  process.stderr.write(`deskhand: ${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(1)
}
