import { attempts } from './attempt.ts'

const CALL = String.raw`
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(n, *args, reach=True):
    r = libc.syscall(n, *args)
    print(n, r, os.strerror(ctypes.get_errno()))
    if r >= 0 and reach: print('REACHED')
    return r
`

/** System calls by number, as an attacker makes them; the numbers are those of x64. */
export const kernel = attempts(
  'kernel',
  String.raw`
# fork
if call(57) == 0: os._exit(0)
# vfork through libc
r = libc.fork(); print(r)
if r == 0: os._exit(0)
if r > 0: print('REACHED')
# clone
if call(56, 17, 0, 0, 0, 0) == 0: os._exit(0)
# clone with a new user namespace
if call(56, 0x10000000 | 17, 0, 0, 0, 0) == 0: os._exit(0)
# clone3
b = ctypes.create_string_buffer(88); ctypes.c_uint64.from_buffer(b, 32).value = 17
if call(435, b, 88) == 0: os._exit(0)
# unshare a user namespace
call(272, 0x10000000)
# unshare the network
call(272, 0x40000000)
# unshare mounts
call(272, 0x00020000)
# setns
call(308, 0, 0)
# mount a file system
call(165, b'none', b'/tmp', b'tmpfs', 0, None)
# mount proc
os.mkdir('/tmp/proc'); call(165, b'proc', b'/tmp/proc', b'proc', 0, None)
# remount writable
call(165, None, b'/project', None, 0x1000 | 32, None)
# bind the root elsewhere
os.mkdir('/tmp/root'); call(165, b'/', b'/tmp/root', None, 4096 | 16384, None)
# umount
for p in (b'/project', b'/tmp', b'/usr', b'/'): call(166, p, 2)
# pivot_root
call(155, b'/tmp', b'/tmp')
# the new mount interface
call(430, b'tmpfs', 0); call(428, -100, b'/', 1); call(429, -100, b'/tmp', -100, b'/project', 0); call(442, -100, b'/', 0, None, 0)
# chroot
call(161, b'/tmp')
# ptrace
call(101, 16, 1, 0, 0); call(101, 0, 0, 0, 0)
# another process' memory
b = ctypes.create_string_buffer(64); call(310, T['pid'], b, 1, b, 1, 0); call(310, 1, b, 1, b, 1, 0)
# pidfd
call(434, 1, 0); call(434, T['pid'], 0)
# somebody's descriptor
call(438, 0, 0, 0)
# a file by its handle
b = ctypes.create_string_buffer(136); ctypes.c_uint32.from_buffer(b).value = 128; m = ctypes.c_int(); call(303, -100, b'/project', b, ctypes.byref(m), 0); call(304, -100, b, 0)
# an internet socket
call(41, 2, 1, 0)
# an IPv6 socket
call(41, 10, 1, 0)
# netlink
call(41, 16, 3, 0)
# packets
call(41, 17, 3, 0)
# the hypervisor
call(41, 40, 1, 0)
# the kernel's cryptography
call(41, 38, 5, 0)
# every other family of sockets
for family in [f for f in range(2, 46)]: call(41, family, 1, 0); call(41, family, 2, 0); call(41, family, 3, 0)
# a family beyond 32 bits
call(41, 0x100000002, 1, 0)
# bpf
call(321, 0, None, 0)
# perf
call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)
# userfaultfd
call(323, 0)
# io_uring
call(425, 4, ctypes.create_string_buffer(256)); call(427, 0, 0, 0, 0)
# keys
call(250, 0, -3, 0); call(248, b'user', b'x', b'y', 1, -3)
# memory files
call(319, b'x', 0); call(447, 0)
# shared memory
call(29, 0, 4096, 0o1777)
# message queues
call(68, 0, 0o1777); call(240, b'x', 0o102, 0o600, None)
# personality
call(135, 0x0400000)
# kernel modules
call(175, b'', 0, b''); call(313, 0, b'', 0); call(176, b'x', 0)
# harmful: another kernel
call(246, 0, 0, None, 0); call(320, 0, 0, 0, b'', 0)
# harmful: rebooting
call(169, 0xfee1dead, 672274793, 0x89ABCDEF, None)
# harmful: the clock
b = (ctypes.c_long * 2)(1, 1); call(227, 0, b); call(164, b, None)
# harmful: the machine's name
call(170, b'pwned', 5); call(171, b'pwned', 5)
# swap
call(167, b'/tmp/x', 0); call(168, b'/tmp/x')
# the kernel's log
b = ctypes.create_string_buffer(4096); call(103, 3, b, 4096)
# ports
call(172, 3); call(173, 0, 1024, 1)
# the local descriptor table
call(154, 0, ctypes.create_string_buffer(64), 64)
# the x32 way
for n in (57, 41, 56): call(0x40000000 + n, 2, 1, 0)
# alone: the 32-bit way
import mmap
m = mmap.mmap(-1, 4096, prot=7); m.write(bytes.fromhex('b802000000cd80c3'))
f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
r = f(); print(r)
if r >= 0: print('REACHED')
# typing into the terminal
import fcntl
for n in ('/dev/tty', '/dev/ptmx', '/dev/pts/ptmx'):
    try:
        fd = os.open(n, os.O_RDWR | os.O_NOCTTY); r = libc.ioctl(fd, 0x5412, b'x'); print(n, r)
        if r == 0: print('REACHED')
    except OSError as e: print(e)
# being root
for f in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0])):
    try: f(); print('REACHED')
    except OSError as e: print(e)
# capabilities
h = (ctypes.c_uint32 * 2)(0x20080522, 0); d = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6); call(126, h, d)
# what is left of capabilities
h = (ctypes.c_uint32 * 2)(0x20080522, 0); d = (ctypes.c_uint32 * 6)(); call(125, h, d, reach=False)
if any(d): print('REACHED', list(d))
# raising the limits
import resource
for n in ('AS', 'CPU', 'FSIZE', 'NOFILE', 'CORE'):
    try: resource.setrlimit(getattr(resource, 'RLIMIT_' + n), (resource.RLIM_INFINITY,) * 2); print('REACHED', n)
    except (OSError, ValueError) as e: print(e)
# real-time priority
try: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)); print('REACHED')
except OSError as e: print(e)
# a nicer self
try: os.nice(-10); print('REACHED')
except OSError as e: print(e)
# writing to the root
for p in ('/pwned', '/usr/pwned', '/dev/pwned', '/dev/shm/pwned', '/project/pwned', '/etc/pwned', '/bin/pwned', '/lib/pwned'):
    try: open(p, 'w').write('x'); print('REACHED', p)
    except OSError as e: print(e)
# making a device
import stat
try: os.mknod('/tmp/disk', stat.S_IFBLK | 0o600, os.makedev(254, 0)); print('REACHED')
except OSError as e: print(e)
# programs with special rights
import glob
print([p for d in ('/usr/bin', '/usr/sbin', '/usr/lib') for p in glob.glob(d + '/*') if os.path.isfile(p) and os.stat(p).st_mode & 0o6000])
b = ctypes.c_int(); r = libc.prctl(39, 0, 0, 0, 0); print('no new privileges', r)
if r != 1: print('REACHED')
# alone: becoming root by a program
os.execv('/usr/bin/su', ['su', '-c', 'cat ' + T['secret']])
# alone: becoming root by mount
os.execv('/usr/bin/mount', ['mount', '-t', 'tmpfs', 'x', '/tmp'])
# services of the host
for p in ('/run/dbus/system_bus_socket', '/var/run/docker.sock', '/run/systemd/private', '/tmp/.X11-unix/X0', '/run/user/0/bus'):
    if os.path.exists(p): print('REACHED', p)
# a preloaded library
import subprocess
os.environ['LD_PRELOAD'] = '/tmp/evil.so'; subprocess.run(['true']); print('REACHED')
# ignoring death
r = libc.prctl(1, 0, 0, 0, 0); print('parent death signal', r)
# a core of the owner
try: os.kill(T['pid'], 6); print('REACHED')
except OSError as e: print(e)
# every process there is
try: os.kill(-1, 0); print('processes in here only')
except OSError as e: print(e)
if os.getpid() > 20: print('REACHED')
`,
).map((attempt) => ({ ...attempt, code: CALL + attempt.code }))
