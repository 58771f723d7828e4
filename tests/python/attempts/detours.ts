import { attempts } from './attempt.ts'

/** Ways around the front doors: parts of the library that open, start or send something while doing something else. */
export const detours = attempts(
  'files',
  String.raw`
# fileinput
import fileinput
for l in fileinput.input(T['secret']): print(l)
# fileinput in place
import fileinput
for l in fileinput.input(T['secret'], inplace=True): print('changed')
# linecache
import linecache
print(linecache.getlines(T['secret']))
# tokenize
import tokenize
print(tokenize.open(T['secret']).read())
# io.open_code
import io
print(io.open_code(T['secret']).read())
# io.FileIO
import io
io.FileIO(T['pwned'], 'w').write(b'x')
# _io
import _io
print(_io.open(T['secret']).read())
# codecs
import codecs
print(codecs.open(T['secret']).read())
# posix
import posix
print(posix.read(posix.open(T['secret'], 0), 100))
# nt, posix and friends
import os
fd = os.open(T['secret'], os.O_RDONLY | getattr(os, 'O_NOATIME', 0)); print(os.pread(fd, 100, 0))
# sendfile
import os
os.sendfile(1, os.open(T['secret'], os.O_RDONLY), 0, 100)
# copy_file_range
import os
os.copy_file_range(os.open(T['secret'], os.O_RDONLY), os.open('/tmp/copy', os.O_CREAT | os.O_WRONLY), 100); print(open('/tmp/copy').read())
# mmap
import mmap, os
print(mmap.mmap(os.open(T['secret'], os.O_RDONLY), 0, prot=mmap.PROT_READ)[:100])
# a hard link
import os
os.link(T['secret'], '/tmp/hard'); print(open('/tmp/hard').read())
# a link that is made here
import os
os.symlink(T['secret'], '/tmp/soft'); print(open('/tmp/soft').read())
# a link to a folder
import os
os.symlink(T['vault'], '/tmp/folder'); print(os.listdir('/tmp/folder'), open('/tmp/folder/secret.txt').read())
# renaming into reach
import os
os.rename(T['secret'], '/tmp/got'); print(open('/tmp/got').read())
# through /proc
print(open('/proc/1/root' + T['secret']).read())
# through a descriptor of the root
import os
fd = os.open('/', os.O_RDONLY); print(os.read(os.open(T['secret'][1:], os.O_RDONLY, dir_fd=fd), 100))
# through an open folder and many dots
import os
fd = os.open('.', os.O_RDONLY); print(os.read(os.open('../' * 30 + T['secret'][1:], os.O_RDONLY, dir_fd=fd), 100))
# another root
import os
os.chroot('/proc/1/root'); print(open(T['secret']).read())
# glob
import glob
print([open(p).read() for p in glob.glob(T['vault'] + '/*')])
# walking up
import os
for base, _, names in os.walk(T['vault']): print([open(os.path.join(base, n)).read() for n in names])
# scandir
import os
print(['REACHED' for e in os.scandir(T['vault'])])
# pathlib
import pathlib
pathlib.Path(T['pwned']).write_text('x')
# pathlib and a link
import pathlib
print(pathlib.Path('link2.txt').resolve().read_text())
# shutil.copytree
import shutil
shutil.copytree(T['vault'], '/tmp/all'); print(open('/tmp/all/secret.txt').read())
# shutil.move
import shutil
shutil.move(T['vault'] + '/secret.txt', '/tmp/moved'); print(open('/tmp/moved').read())
# shutil.rmtree
import shutil
shutil.rmtree(T['vault'])
# truncating
import os
os.truncate(T['secret'], 0)
# other rights
import os
os.chmod(T['secret'], 0o777)
# another owner
import os
os.chown(T['secret'], 0, 0)
# another time
import os
os.utime(T['secret'], (1, 1))
# a device
import os, stat
os.mknod(T['pwned'], 0o600 | stat.S_IFCHR, os.makedev(1, 3))
# a pipe outside
import os
os.mkfifo(T['pwned'])
# tempfile elsewhere
import tempfile
tempfile.NamedTemporaryFile(dir=T['vault'], delete=False).write(b'x')
# a file of settings
import configparser
c = configparser.ConfigParser(); c.read(T['vault'] + '/c.ini'); print(c['x']['value'])
# netrc
import netrc
print(netrc.netrc(T['secret']))
# a property list
import plistlib
print(plistlib.load(open(T['secret'], 'rb')))
# zipfile
import zipfile
print(zipfile.ZipFile(T['vault'] + '/z.zip').read('zipped.py'))
# a path of zips
import sys
sys.path.insert(0, T['vault'] + '/z.zip'); import zipped; print(zipped.VALUE)
# a path of modules
import sys
sys.path.insert(0, T['vault']); import leaked; print(leaked.VALUE)
# runpy
import runpy
print(runpy.run_path(T['vault'] + '/leaked.py')['VALUE'])
# sqlite by its URI
import sqlite3
print(sqlite3.connect('file:' + T['vault'] + '/db.sqlite?mode=ro', uri=True).execute('select * from t').fetchall())
# a backup of a database
import sqlite3
a = sqlite3.connect(T['vault'] + '/db.sqlite'); b = sqlite3.connect(':memory:'); a.backup(b); print(b.execute('select * from t').fetchall())
# shelve
import shelve
shelve.open(T['pwned'])['a'] = 1
# pickle that starts a program
import pickle
pickle.loads(b"cposix\nsystem\n(S'touch " + T['pwned'].encode() + b"'\ntR.")
# pickle that opens a file
import pickle
pickle.loads(b"cbuiltins\nopen\n(S'" + T['pwned'].encode() + b"'\nS'w'\ntR.")
# yaml-like tricks of logging
import logging.config
logging.config.dictConfig({'version': 1, 'handlers': {'h': {'class': 'logging.FileHandler', 'filename': T['pwned']}}, 'root': {'handlers': ['h']}})
# a log that rotates
import logging.handlers
logging.handlers.RotatingFileHandler(T['pwned'])
# a server of modules
from multiprocessing.managers import BaseManager
BaseManager(('127.0.0.1', T['port']), b'x').connect()
# the browser
import webbrowser
webbrowser.open('http://127.0.0.1:%d/' % T['port'])
# antigravity
import antigravity
# xmlrpc and telnet's heirs
import http.client
http.client.HTTPConnection('localhost', T['port'], timeout=1).request('GET', '/', headers={'Host': 'x'})
# a proxy from the environment
import os, urllib.request
os.environ['http_proxy'] = 'http://127.0.0.1:%d' % T['port']; urllib.request.urlopen('http://example.invalid/', timeout=2)
# ssl
import ssl
ssl.get_server_certificate(('127.0.0.1', T['port']), timeout=2)
# an executor of processes
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(1) as p: print(p.submit(__import__('os').system, 'touch ' + T['pwned']).result(5))
# pty
import pty
pty.spawn(['touch', T['pwned']])
# posix_spawn
import os
os.posix_spawn('/bin/touch', ['touch', T['pwned']], {})
# forkpty
import os
if os.forkpty()[0] == 0: os.execv('/bin/touch', ['touch', T['pwned']])
# asyncio's programs
import asyncio
async def go(): await (await asyncio.create_subprocess_exec('touch', T['pwned'])).wait()
asyncio.run(go())
# the timer of the machine
import time
time.clock_settime(time.CLOCK_REALTIME, 0); print('REACHED')
# the name of the machine
import socket
socket.sethostname('x'); print('REACHED')
# a nicer place
import os
os.setpriority(os.PRIO_PROCESS, T['pid'], 10); print('REACHED')
# where the owner runs
import os
os.sched_setaffinity(T['pid'], {0}); print('REACHED')
`,
)
