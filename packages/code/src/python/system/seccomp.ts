import { endianness } from 'node:os'

/**
 * A filter for the kernel, as the bytes of a classic BPF program: calls that a sandboxed interpreter never needs and an attacker could
 * use get EPERM. Threads may be made, processes may not. Sockets exist only as pairs of streams, because a socket
 * file can be connected to on a read-only mount, too. Calls newer than this list do not exist.
 */
export function seccompFilter(arch: string): Buffer | undefined {
  const cpu = CPUS[arch]
  if (!cpu || endianness() !== 'LE') return undefined
  const numbers = Object.values(DENIED).map((row) => row[cpu.column])
  const program = [
    load(ARCH),
    ...when(JEQ, cpu.audit, [], [reply(KILL)]),
    load(NUMBER),
    ...when(JGE, X32, [reply(fail(EPERM))]),
    ...when(JGE, FIRST_UNKNOWN, [reply(fail(ENOSYS))]),
    ...numbers.filter((number) => number !== undefined).flatMap((number) => when(JEQ, number, [reply(fail(EPERM))])),
    ...when(JEQ, cpu.clone3, [reply(fail(ENOSYS))]),
    ...when(JEQ, cpu.clone, [load(ARG_0), ...when(JSET, CLONE_THREAD, [], [reply(fail(EPERM))]), reply(ALLOW)]),
    ...when(JEQ, cpu.socketpair, [load(ARG_1), ...when(JSET, NOT_A_STREAM, [reply(fail(EPERM))]), reply(ALLOW)]),
    ...when(JEQ, cpu.ioctl, [load(ARG_1), ...TERMINAL_TRICKS.flatMap((call) => when(JEQ, call, [reply(fail(EPERM))])), reply(ALLOW)]),
    reply(ALLOW),
  ]
  return Buffer.concat(program)
}

const NUMBER = 0
const ARCH = 4
const ARG_0 = 16
const ARG_1 = 24
const LD_W_ABS = 0x20
const RET = 0x06
const JEQ = 0x15
const JGE = 0x35
const JSET = 0x45
const ALLOW = 0x7fff0000
const KILL = 0x80000000
const EPERM = 1
const ENOSYS = 38
const X32 = 0x40000000
const CLONE_THREAD = 0x10000
const FIRST_UNKNOWN = 449
/** Bits of a socket type that a stream does not set. */
const NOT_A_STREAM = 0xe
const TERMINAL_TRICKS = [0x5412, 0x541c]

const fail = (errno: number) => 0x00050000 | errno
const load = (offset: number) => instruction(LD_W_ABS, 0, 0, offset)
const reply = (action: number) => instruction(RET, 0, 0, action)

/** Runs `then` where the comparison holds and `otherwise` where it does not; both fall through to what follows. */
function when(compare: number, value: number, then: Buffer[], otherwise: Buffer[] = []): Buffer[] {
  if (otherwise.length === 0) return [instruction(compare, 0, then.length, value), ...then]
  if (then.length === 0) return [instruction(compare, otherwise.length, 0, value), ...otherwise]
  throw new Error('one of the two branches must be empty')
}

function instruction(code: number, whenTrue: number, whenFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(whenTrue, 2)
  bytes.writeUInt8(whenFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}

interface Cpu {
  audit: number
  column: 0 | 1
  clone: number
  clone3: number
  socketpair: number
  ioctl: number
}

const CPUS: Record<string, Cpu | undefined> = {
  x64: { audit: 0xc000003e, column: 0, clone: 56, clone3: 435, socketpair: 53, ioctl: 16 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220, clone3: 435, socketpair: 199, ioctl: 29 },
}

/** System calls by their numbers on x64 and arm64. */
const DENIED: Record<string, [number, number?]> = {
  socket: [41, 198],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  sendmmsg: [307, 269],
  fork: [57],
  vfork: [58],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  pidfd_send_signal: [424, 424],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  shmat: [30, 196],
  msgget: [68, 186],
  semget: [64, 190],
  mq_open: [240, 180],
  mbind: [237, 235],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  personality: [135, 92],
  modify_ldt: [154],
  iopl: [172],
  ioperm: [173],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
}
