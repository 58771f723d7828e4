import { attempts } from './attempt.ts'

const CALL = String.raw`
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
X64 = platform.machine() == 'x86_64'
def call(x64, arm64, *args):
    return libc.syscall(x64 if X64 else arm64, *args)
`

/** Ways through the project itself: sockets and pipes lie in it, and a process outside listens at each. */
export const doors = attempts(
  'network',
  String.raw`
# a socket in the project
import socket
s = socket.socket(socket.AF_UNIX); s.connect('door.sock'); s.send(b'hi')
# a socket by its whole path
import os, socket
s = socket.socket(socket.AF_UNIX); s.connect(os.getcwd() + '/door.sock'); s.send(b'hi')
# a socket by a link to it
import os, socket, tempfile
d = tempfile.mkdtemp(); os.symlink(os.getcwd() + '/door.sock', d + '/way')
socket.socket(socket.AF_UNIX).connect(d + '/way')
# connect_ex
import socket
print(socket.socket(socket.AF_UNIX).connect_ex('door.sock'))
# not blocking
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK); print(s.connect_ex('door.sock'))
# _socket
import _socket
_socket.socket(1, 1).connect('door.sock')
# a letter
import socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'hi', 'letters.sock')
# a letter by a connection
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect('letters.sock'); s.send(b'hi')
# a letter by sendmsg
import socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendmsg([b'hi'], [], 0, 'letters.sock')
# a letter from one of a pair
import socket
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'hi', 'letters.sock')
# a letter from one of a pair that turns elsewhere
import socket
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.connect('letters.sock'); a.send(b'hi')
# a letter from one of a pair by sendmsg
import socket
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendmsg([b'hi'], [], 0, 'letters.sock')
# one of a pair of streams that turns elsewhere
import socket
a, b = socket.socketpair(); b.close()
try: a.connect('door.sock')
except OSError as e: print(e)
a.sendmsg([b'hi'], [], 0, 'letters.sock')
# a pair of packets that turns elsewhere
import socket
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET); b.close(); a.connect('door.sock')
# asyncio
import asyncio
asyncio.run(asyncio.wait_for(asyncio.open_unix_connection('door.sock'), 2))
# multiprocessing's connections
from multiprocessing.connection import Client
Client('door.sock', 'AF_UNIX')
# log handlers: a socket
import logging, logging.handlers
logging.raiseExceptions = False
logging.handlers.SocketHandler('door.sock', None).emit(logging.makeLogRecord({'msg': 'x'}))
# log handlers: syslog
import logging, logging.handlers
logging.handlers.SysLogHandler('letters.sock').emit(logging.makeLogRecord({'msg': 'x'}))
# HTTP over a socket
import http.client, socket
c = http.client.HTTPConnection('x'); c.sock = socket.socket(socket.AF_UNIX); c.sock.connect('door.sock'); c.request('GET', '/')
# the display's way
import os, socket
s = socket.socket(socket.AF_UNIX); s.connect('./door.sock'); s.send(b'l\0\x0b\0\0\0\0\0\0\0\0\0')
# by the system call
${CALL}
fd = call(41, 198, 1, 1, 0)
a = b'\1\0door.sock\0'
print(fd, call(42, 203, fd, a, len(a)))
# a pair by the system call, then a letter
${CALL}
pair = (ctypes.c_int * 2)()
print(call(53, 199, 1, 2, 0, pair)); a = b'\1\0letters.sock\0'
print(call(44, 206, pair[0], b'hi', 2, 0, a, len(a)))
# several letters in one call
${CALL}
pair = (ctypes.c_int * 2)()
call(53, 199, 1, 2, 0, pair); a = b'\1\0letters.sock\0'
data = ctypes.create_string_buffer(b'hi'); name = ctypes.create_string_buffer(a)
iov = (ctypes.c_size_t * 2)(ctypes.addressof(data), 2)
msg = (ctypes.c_size_t * 8)(ctypes.addressof(name), len(a), ctypes.addressof(iov), 1, 0, 0, 0, 0)
print(call(307, 269, pair[0], msg, 1, 0))
# a named pipe
import os
fd = os.open('pipe', os.O_WRONLY | os.O_NONBLOCK); os.write(fd, b'hi')
# a named pipe, both ways
import os
os.write(os.open('pipe', os.O_RDWR | os.O_NONBLOCK), b'hi')
# a named pipe as a file
open('pipe', 'wb', buffering=0).write(b'hi')
# a named pipe by its descriptor
import os
r = os.open('pipe', os.O_RDONLY | os.O_NONBLOCK)
os.write(os.open('/proc/self/fd/%d' % r, os.O_WRONLY | os.O_NONBLOCK), b'hi')
# a named pipe through a path only
import os
r = os.open('pipe', os.O_PATH)
os.write(os.open('/dev/fd/%d' % r, os.O_WRONLY | os.O_NONBLOCK), b'hi')
# a named pipe below its folder
import os
d = os.open('.', os.O_RDONLY)
os.write(os.open('pipe', os.O_WRONLY | os.O_NONBLOCK, dir_fd=d), b'hi')
# a named pipe by a second name
import os, tempfile
p = tempfile.mkdtemp() + '/p'
try: os.link('pipe', p)
except OSError: os.symlink(os.getcwd() + '/pipe', p)
os.write(os.open(p, os.O_WRONLY | os.O_NONBLOCK), b'hi')
# a named pipe and tee
import os
r, w = os.pipe(); os.write(w, b'hi')
os.splice(r, os.open('pipe', os.O_WRONLY | os.O_NONBLOCK), 2)
# a named pipe by openat2
${CALL}
how = (ctypes.c_uint64 * 3)(os.O_WRONLY | os.O_NONBLOCK, 0, 0)
fd = call(437, 437, -100, b'pipe', how, 24); os.write(fd, b'hi')
# a named pipe by creat
${CALL}
fd = libc.open(b'pipe', os.O_WRONLY | os.O_NONBLOCK); os.write(fd, b'hi')
`,
)
