import { end } from './control.mjs'

/**
 * The only way from Python to JavaScript: the functions that the WebAssembly module imports.
 * OPEN ones work on the virtual file system, the clock and the module's own memory. ANSWERED ones never reach their original.
 * All others belong to the bridge between Python and JavaScript: they serve the start, and once sealed, calling one ends the process.
 */
const EPERM = 63
const NO_SUCH_NAME = -2
const NOBODY = 65534
const S_IFMT = 0o170000
const REGULAR = [0, 0o100000]

const OPEN = new Set(
  `
  __syscall_fcntl64 __syscall_openat __syscall_faccessat __syscall_chdir __syscall_chmod __syscall_fchownat __syscall_dup __syscall_dup3
  __syscall_fchdir __syscall_fchmod __syscall_fchmodat2 __syscall_fchown32 __syscall_fdatasync __syscall_fstat64 __syscall_stat64
  __syscall_newfstatat __syscall_lstat64 __syscall_ftruncate64 __syscall_getcwd __syscall_getdents64 __syscall_mkdirat __syscall_pipe
  __syscall_fadvise64 __syscall_fallocate __syscall_readlinkat __syscall_unlinkat __syscall_rmdir __syscall_renameat
  __syscall_statfs64 __syscall_fstatfs64 __syscall_symlinkat __syscall_truncate64 __syscall_utimensat __syscall_ioctl
  _try_fcntl64 _mmap_js _munmap_js _msync_js
  fd_close fd_read fd_write fd_sync fd_seek fd_fdstat_get fd_pread fd_pwrite
  clock_res_get clock_time_get emscripten_date_now emscripten_get_now _tzset_js _timegm_js _mktime_js _localtime_js _gmtime_js
  random_get environ_sizes_get environ_get emscripten_resize_heap emscripten_get_heap_max
  _PyEM_TrampolineCall_JS _Py_CheckEmscriptenSignals_Helper _Py_emscripten_runtime __call_sighandler _emscripten_runtime_keepalive_clear
`
    .trim()
    .split(/\s+/),
)

const refuse = () => -EPERM
const nothing = () => null
const zero = () => 0

/** @type {Record<string, (...args: any[]) => unknown>} */
const ANSWERED = {
  ...named('socket connect bind listen accept4 sendto recvfrom sendmsg recvmsg getsockname getpeername getsockopt', '__syscall_', refuse),
  ...named('connect recvfrom sendto', '_maybe_', nothing, '_async'),
  _maybe_poll_async: nothing,
  ...named('_try_shutdown can_run_sync_js getprotobyname _dlopen_js _dlsym_js', '', zero),
  getaddrinfo: () => NO_SUCH_NAME,
  getnameinfo: () => NO_SUCH_NAME,
  __syscall_getuid32_js: () => NOBODY,
  _setitimer_js: refuse,
  _emscripten_system: refuse,
}

/** @typedef {{ exports: () => WebAssembly.Exports, seal: () => void }} Gate */

/** Wraps the imports of the module that is about to be instantiated.
 * @returns {Gate} */
export function installGate() {
  const instantiate = WebAssembly.instantiate
  /** @type {WebAssembly.Instance | undefined} */
  let interpreter
  let sealed = false
  let umask = 0o022
  const nap = new Int32Array(new SharedArrayBuffer(4))

  /** @param {string} name @param {any} original */
  const guarded = (name, original) => {
    if (typeof original !== 'function') return isWasmValue(original) ? original : refuse
    if (OPEN.has(name)) return original
    const answer = ANSWERED[name] ?? special(name, original)
    if (answer) return answer
    return (/** @type {unknown[]} */ ...args) =>
      sealed ? end({ say: 'broken', why: 'gate', what: `the script called ${name}, which is outside of its sandbox` }) : original(...args)
  }

  /** @param {string} name @param {(...args: any[]) => any} original */
  const special = (name, original) => {
    switch (name) {
      case 'proc_exit':
      case 'exit':
        return (/** @type {number} */ code) => (sealed ? end({ say: 'end', exitCode: code & 255 }) : original(code))
      case '_abort_js':
      case '__assert_fail':
        return () => end({ say: 'broken', why: 'crash', what: 'the interpreter aborted' })
      case '__syscall_mknodat':
        return (/** @type {number[]} */ ...args) => (REGULAR.includes(Number(args[2]) & S_IFMT) ? original(...args) : -EPERM)
      case '__syscall_umask_js':
        return (/** @type {number} */ next) => {
          const before = umask
          umask = next & 0o777
          return before
        }
      case '__syscall_poll':
        return (/** @type {number} */ fds, /** @type {number} */ count, /** @type {number} */ timeout) => {
          const ready = original(fds, count, timeout)
          if (ready === 0 && timeout !== 0) Atomics.wait(nap, 0, 0, timeout < 0 ? Infinity : timeout)
          return ready
        }
      default:
        return undefined
    }
  }

  /** @param {Record<string, object>} [imports] */
  const guardAll = (imports = {}) =>
    Object.fromEntries(Object.entries(imports).map(([from, parts]) => [from, from.startsWith('GOT.') ? parts : mapValues(parts, guarded)]))

  const { Instance } = WebAssembly
  Object.assign(WebAssembly, {
    Instance: class extends Instance {
      /** @param {object} module @param {Record<string, object>} imports */
      constructor(module, imports) {
        super(module, guardAll(imports))
      }
    },
    instantiate: async (/** @type {unknown} */ source, /** @type {Record<string, object>} */ imports) => {
      const result = await instantiate(source, guardAll(imports))
      if (imports?.env) interpreter = result.instance
      return result
    },
  })

  return {
    exports() {
      if (!interpreter) throw new Error('the interpreter was not instantiated through the gate')
      return interpreter.exports
    },
    seal() {
      sealed = true
    },
  }
}

/** @param {string} names @param {string} before @param {() => unknown} value */
function named(names, before, value, after = '') {
  return Object.fromEntries(names.split(' ').map((name) => [before + name + after, value]))
}

/** @param {object} object @param {(key: string, value: unknown) => unknown} change */
function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]))
}

/** @param {unknown} value */
function isWasmValue(value) {
  return (
    value instanceof WebAssembly.Global ||
    value instanceof WebAssembly.Memory ||
    value instanceof WebAssembly.Table ||
    value instanceof WebAssembly.Tag
  )
}
