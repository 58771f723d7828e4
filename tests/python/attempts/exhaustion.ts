import { attempts } from './attempt.ts'

/** Ways to use up the machine. Each runs alone, with a short timeout. */
export const exhaustion = attempts(
  'exhaustion',
  String.raw`
# an endless loop
while True: pass
# an endless loop that catches everything
while True:
    try:
        while True: pass
    except BaseException: pass
# ignored signals
import signal
for s in range(1, 65):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
# a long sleep
import time
time.sleep(10**6)
# waiting for nothing
import select
select.select([], [], [])
# waiting on a lock
import threading
l = threading.Lock(); l.acquire(); l.acquire()
# a long calculation in C
sum(range(10**13))
# a huge power
print(len(str(7 ** (10**9))))
# a slow regular expression
import re
re.match('(a+)+$', 'a' * 50 + 'b')
# a doubling list
a = [0]
while True: a += a
# a huge block
b = bytearray(3 * 10**9)
for i in range(0, len(b), 4096): b[i] = 1
# many small objects
a = []
while True: a.append(object())
# memory, caught and asked for again
a = []
while True:
    try: a.append(bytearray(10**7))
    except MemoryError: pass
# a growing text
s = 'x'
while True: s += s
# a huge format width
print('{:>9999999999}'.format('x'))
# a table that grows in sqlite
import sqlite3
c = sqlite3.connect(':memory:'); c.execute('create table t(a)')
c.execute('with recursive n(x) as (select 1 union all select x + 1 from n) insert into t select randomblob(100000) from n')
# a zip bomb
import zlib
d = zlib.compressobj(); z = b''.join(d.compress(bytes(10**7)) for _ in range(400)) + d.flush(); print(len(zlib.decompress(z)))
# many files
i = 0
while True:
    open('/tmp/%d' % i, 'wb').write(bytes(10**6)); i += 1
# many empty files
i = 0
while True:
    open('/tmp/%d' % i, 'wb').close(); i += 1
# one huge file
f = open('/tmp/huge', 'wb')
while True: f.write(bytes(10**6))
# one huge hole
f = open('/tmp/hole', 'wb'); f.truncate(10**12); f.seek(10**12 - 1); f.write(b'x'); f.close()
# many open files
a = []
while True: a.append(open('/tmp/x', 'w'))
# many pipes, filled
import os
a = []
while True:
    r, w = os.pipe(); a += [r, w]; os.set_blocking(w, False)
    try:
        while True: os.write(w, bytes(65536))
    except OSError: pass
# a flood of questions about files
import os
while True: os.path.exists('/project/x'); os.listdir('/project'); open('/project/mod.py').read()
# a flood of output
while True: print('x' * 10000)
# a flood of errors
import sys
while True: print('x' * 10000, file=sys.stderr)
# a flood of output, unbuffered
import os
while True: os.write(1, b'y' * 65536)
# a flood without lines
import sys
while True: sys.stdout.write('z' * 100)
# a fork bomb
import os
while True:
    try: os.fork()
    except OSError: pass
# a bomb of shells
import os
while True: os.system(':(){ :|:& };:')
# a bomb of threads
import threading, time
a = []
while True:
    try: t = threading.Thread(target=time.sleep, args=(1000,), daemon=True); t.start(); a.append(t)
    except (RuntimeError, MemoryError): pass
# threads that outlive the script
import threading
def spin():
    while True: pass
for _ in range(4): threading.Thread(target=spin).start()
# recursion
def f(): f()
f()
# recursion without a limit
import sys
sys.setrecursionlimit(2**31 - 1)
def f(n): return f(n + 1) + 1
f(0)
# recursion through C
import functools, sys
sys.setrecursionlimit(10**9)
f = functools.partial(print)
for _ in range(10**6): f = functools.partial(f)
f()
# a deep structure
a = []
for _ in range(10**6): a = [a]
print(repr(a)[:5]); del a
# an exit that never ends
import atexit
def again():
    while True: pass
atexit.register(again)
# a finaliser that never ends
class A:
    def __del__(self):
        while True: pass
a = A(); del a
# a server of its own
import asyncio
async def go():
    while True: await asyncio.sleep(0)
asyncio.run(go())
`,
)
