import { attempts } from './attempt.ts'

export const files = attempts(
  'files',
  String.raw`
# open
print(open(T['secret']).read())
# os.open
import os
print(os.read(os.open(T['secret'], os.O_RDONLY), 1000))
# pathlib
import pathlib
print(pathlib.Path(T['secret']).read_text())
# io.FileIO
import io
print(io.FileIO(T['secret']).readall())
# _pyio
import _pyio
print(_pyio.open(T['secret']).read())
# codecs
import codecs
print(codecs.open(T['secret'], encoding='utf8').read())
# fileinput
import fileinput
print(list(fileinput.input(T['secret'])))
# linecache
import linecache
print(linecache.getlines(T['secret']))
# tokenize
import tokenize
print(tokenize.open(T['secret']).read())
# bytes path with doubled slashes
print(open(T['secret'].replace('/', '//').encode()).read())
# dot segments
print(open('/project/../' + T['secret'] + '/../secret.txt').read())
# relative, out of the project
for up in range(1, 12):
    try: print(open('../' * up + T['secret'][1:]).read())
    except OSError: pass
# relative, to the neighbour
print(open('../vault/secret.txt').read())
# a link in the project to the file
print(open('link.txt').read())
# a link in the project to the folder
print(open('vaultlink/secret.txt').read())
# a link to a link
print(open('link2.txt').read())
# a link of one's own
import os
os.symlink(T['secret'], '/tmp/own'); print(open('/tmp/own').read())
# a chain of links in the scratch folder to a link in the project
import os
os.symlink('/project/vaultlink', '/tmp/chain'); print(open('/tmp/chain/secret.txt').read())
# a hard link
import os
os.link(T['secret'], '/tmp/hard'); print(open('/tmp/hard').read())
# shutil
import shutil
shutil.copy(T['secret'], '/tmp/copy'); print(open('/tmp/copy').read())
# sendfile
import os
a = os.open(T['secret'], os.O_RDONLY); b = os.open('/tmp/sent', os.O_RDWR | os.O_CREAT); os.sendfile(b, a, 0, 1000); print(open('/tmp/sent').read())
# mmap
import mmap, os
print(mmap.mmap(os.open(T['secret'], os.O_RDONLY), 0, prot=mmap.PROT_READ)[:])
# sqlite
import sqlite3
c = sqlite3.connect(':memory:'); c.execute('attach ? as x', (T['vault'] + '/db.sqlite',)); print(c.execute('select * from x.t').fetchall())
# sqlite through a URI
import sqlite3
print(sqlite3.connect('file:' + T['vault'] + '/db.sqlite?immutable=1', uri=True).execute('select * from t').fetchall())
# importing a module from there
import sys
sys.path.insert(0, T['vault']); import leaked; print(leaked.VALUE)
# loading a module by its place
import importlib.util
s = importlib.util.spec_from_file_location('leaked2', T['vault'] + '/leaked.py'); m = importlib.util.module_from_spec(s); s.loader.exec_module(m); print(m.VALUE)
# running it as a script
import runpy
print(runpy.run_path(T['vault'] + '/leaked.py')['VALUE'])
# zipimport
import zipimport
print(zipimport.zipimporter(T['vault'] + '/z.zip').load_module('zipped').VALUE)
# configparser
import configparser
c = configparser.ConfigParser(); c.read(T['vault'] + '/c.ini'); print(dict(c['x']))
# the exception text of a parser
import json, traceback
try: json.load(open(T['secret']))
except Exception: traceback.print_exc()
print(compile(open(T['secret']).read(), 'x', 'exec'))
# listing the folder
import os
print(os.listdir(T['vault'])); print('REACHED')
# scandir, glob and stat
import glob, os
print([e.path for e in os.scandir(T['vault'])], glob.glob(T['vault'] + '/*'), os.stat(T['secret'])); print('REACHED')
# harmful: walking everything
import os
for top, dirs, names in os.walk('/', followlinks=True):
    if top.count('/') > 6 or top.startswith(('/usr', '/lib', '/proc/1', '/sys')): dirs.clear()
    for n in names:
        if n == 'secret.txt': print(open(os.path.join(top, n)).read())
# climbing by folder descriptors
import os
fd = os.open('/project', os.O_RDONLY)
for part in ['..'] * 10 + T['secret'].split('/')[1:-1]: fd = os.open(part, os.O_RDONLY, dir_fd=fd)
print(os.read(os.open('secret.txt', os.O_RDONLY, dir_fd=fd), 1000))
# fchdir to the parent
import os
os.chdir('/project'); os.chdir('..'); print(os.listdir('.')); os.chdir(T['vault']); print(open('secret.txt').read())
# /proc/self/root
print(open('/proc/self/root' + T['secret']).read())
# /proc/self/cwd
print(open('/proc/self/cwd/../vault/secret.txt').read())
# /proc/1/root
print(open('/proc/1/root' + T['secret']).read())
# the parent's root
print(open('/proc/%d/root%s' % (T['pid'], T['secret'])).read())
# the parent's memory map
print(open('/proc/%d/maps' % T['pid']).read()); print('REACHED')
# alone: inherited descriptors
import os
for fd in range(3, 64):
    try: print('REACHED', fd, os.fstat(fd))
    except OSError: pass
# descriptors by name
import os
for name in os.listdir('/dev/fd'):
    if int(name) > 2:
        try: print(os.read(os.open('/dev/fd/' + name, os.O_RDONLY | os.O_NONBLOCK), 100)); print('REACHED')
        except (OSError, ValueError): pass
# writing there
open(T['pwned'], 'w').write('x')
# appending to the secret
open(T['secret'], 'a').write('x')
# emptying it
import os
os.truncate(T['secret'], 0)
# removing it
import os
os.remove(T['secret'])
# renaming it
import os
os.rename(T['secret'], T['pwned'])
# moving it into the scratch folder
import shutil
shutil.move(T['secret'], '/tmp/moved'); print(open('/tmp/moved').read())
# changing its rights
import os
os.chmod(T['secret'], 0)
# its time
import os
os.utime(T['secret'], (1, 1)); assert os.stat(T['secret']).st_mtime == 1; print('REACHED')
# making a folder there
import os
os.makedirs(T['pwned'])
# a temporary file there
import tempfile
f = tempfile.NamedTemporaryFile(dir=T['vault'], delete=False); f.write(b'x'); f.close()
# a log file there
import logging
logging.FileHandler(T['pwned']).emit(logging.makeLogRecord({'msg': 'x'}))
# a database there
import sqlite3
c = sqlite3.connect(T['pwned']); c.execute('create table t(a)'); c.commit()
# a shelf there
import shelve
shelve.open(T['pwned'])['a'] = 1
# an archive unpacked there
import io, tarfile
b = io.BytesIO(); t = tarfile.open(fileobj=b, mode='w'); i = tarfile.TarInfo('../../../..' + T['pwned']); t.addfile(i); t.close(); b.seek(0)
tarfile.TarFile.extraction_filter = staticmethod(lambda member, path: member)
for place in ('/tmp', '/'): b.seek(0); tarfile.open(fileobj=b).extractall(place)
# a pipe there
import os
os.mkfifo(T['pwned'])
# a device there
import os, stat
os.mknod(T['pwned'], stat.S_IFCHR | 0o666, os.makedev(1, 3))
# writing into the project
open('/project/pwned', 'w').write('x')
# writing through the link in the project
open('/project/vaultlink/pwned', 'w').write('x')
# compiling into the project
import py_compile
py_compile.compile('/project/mod.py')
# a cache file beside an imported module
import sys
sys.dont_write_bytecode = False; sys.path.insert(0, '/project'); import mod
# replacing the project
import os, shutil
for f in (lambda: os.rename('/project', '/tmp/p'), lambda: os.rmdir('/project'), lambda: shutil.rmtree('/project')):
    try: f()
    except OSError: pass
# harmful: removing the folder
import shutil
shutil.rmtree(T['vault'])
# chroot
import os
os.chroot('/tmp'); print('REACHED')
# harmful: other people's files
import os
for p in ('/etc/shadow', '/etc/passwd', '/root/.ssh', '/root/.bash_history', '/root/.profile', '/var/log', '/boot', '/etc/hostname'):
    try: print(p, 'REACHED', os.listdir(p) if os.path.isdir(p) else open(p).read())
    except OSError: pass
# harmful: the machine's devices
import os
for p in ('/dev/vda', '/dev/sda', '/dev/mem', '/dev/kmsg', '/dev/kvm', '/dev/fuse', '/dev/net/tun', '/sys/kernel', '/proc/kcore', '/proc/cmdline', '/proc/version'):
    if os.path.exists(p): print('REACHED', p)
`,
)
