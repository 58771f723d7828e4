import { attempts } from './attempt.ts'

/** Ways that came to mind later: what newer Pythons bring, what the library does aside, and what is left over after the end. */
export const afterthoughts = attempts(
  'native',
  String.raw`
# harmful: code sent into the owner
import sys, tempfile
f = tempfile.NamedTemporaryFile('w', suffix='.py', delete=False); f.write(f"open({T['pwned']!r}, 'w')"); f.close()
sys.remote_exec(T['pid'], f.name)
# another interpreter in this one
from concurrent import interpreters
interpreters.create().exec(f"import os; os.system('touch {T['pwned']}')")
# another interpreter and the bridge
import _interpreters
i = _interpreters.create()
print(_interpreters.exec(i, "import js\nprint('REACHED', js.process.pid)"))
# debugging another process
import _remote_debugging
print('REACHED', _remote_debugging.RemoteUnwinder(T['pid']).get_stack_trace())
# watching every call of the machinery
import sys
m = sys.monitoring
m.use_tool_id(2, 'x'); m.set_events(2, m.events.CALL)
def seen(code, offset, callee, arg0):
    if 'js' in type(callee).__module__: print('REACHED', callee)
m.register_callback(2, m.events.CALL, seen); print(end=''); m.set_events(2, 0); m.free_tool_id(2)
# an audit hook that listens
import sys
def hook(name, args):
    if name.startswith(('pyodide', 'js')): print('REACHED', name)
sys.addaudithook(hook); open('data.txt').close()
# what happens after the end
import atexit
atexit.register(lambda: open(T['pwned'], 'w'))
# a finaliser after the end
import weakref
class C: pass
c = C(); weakref.finalize(c, lambda: open(T['pwned'], 'w'))
# a hook for errors
import sys
sys.unraisablehook = lambda *_: print(open(T['secret']).read())
class D:
    def __del__(self): raise ValueError
D()
# an archive that leads out
import io, tarfile
b = io.BytesIO(); t = tarfile.open(fileobj=b, mode='w')
i = tarfile.TarInfo('way'); i.type = tarfile.SYMTYPE; i.linkname = T['secret']; t.addfile(i); t.close(); b.seek(0)
tarfile.open(fileobj=b).extractall('/tmp', filter='fully_trusted'); print(open('/tmp/way').read())
# an archive with absolute names
import io, zipfile
b = io.BytesIO(); zipfile.ZipFile(b, 'w').writestr(T['pwned'], 'x'); zipfile.ZipFile(b).extractall('/'); open(T['pwned']).read()
# an archive of the folder
import shutil
print('REACHED', shutil.make_archive('/tmp/all', 'zip', T['vault']) and __import__('zipfile').ZipFile('/tmp/all.zip').read('secret.txt'))
# a database that attaches another
import sqlite3
c = sqlite3.connect(':memory:'); c.execute("attach ? as v", (T['vault'] + '/db.sqlite',)); print(c.execute('select * from v.t').fetchall())
# a database written elsewhere
import sqlite3
c = sqlite3.connect(':memory:'); c.execute('create table t(a)'); c.execute('vacuum into ?', (T['pwned'],))
# an extension of the database
import sqlite3
c = sqlite3.connect(':memory:'); c.enable_load_extension(True); c.load_extension('/usr/lib/x86_64-linux-gnu/libc.so.6')
# a profile
import cProfile
cProfile.run('1 + 1', T['pwned'])
# a trace
import trace
trace.Trace().results().write_results(coverdir=T['vault'])
# memory, dumped
import tracemalloc
tracemalloc.start(); tracemalloc.take_snapshot().dump(T['pwned'])
# a fault handler's file
import faulthandler
faulthandler.dump_traceback(open(T['pwned'], 'w'))
# keys of connections
import ssl
ssl.create_default_context().keylog_filename = T['pwned']
# certificates
import ssl
ssl.create_default_context().load_cert_chain(T['secret'])
# the line editor
import readline
readline.read_init_file(T['secret']); readline.append_history_file(1, T['pwned'])
# a small database
import dbm.dumb
dbm.dumb.open(T['pwned'], 'n')['a'] = 'b'
# a mailbox
import mailbox
print(mailbox.mbox(T['secret']).keys()); mailbox.Maildir(T['pwned'], create=True)
# translations
import gettext
print(gettext.GNUTranslations(open(T['secret'], 'rb')))
# a compiled file
import py_compile
py_compile.compile(T['vault'] + '/leaked.py', cfile='/tmp/l.pyc'); print(open('/tmp/l.pyc', 'rb').read())
# documentation of a file
import pydoc
print(pydoc.render_doc(pydoc.importfile(T['vault'] + '/leaked.py')))
# a package installer
import ensurepip
ensurepip.bootstrap(root=T['pwned'])
# an environment of its own
import venv
venv.create(T['pwned'])
# a debugger's start-up file
import os, pdb
os.environ['HOME'] = T['vault']; pdb.Pdb(readrc=True)
# a style of import that others forget
import importlib.resources, importlib.machinery as m
print(m.SourceFileLoader('x', T['vault'] + '/leaked.py').load_module().VALUE)
# extended attributes
import os
print('REACHED', os.listxattr(T['secret']))
# by a folder that was removed
import os
os.mkdir('/tmp/gone'); os.chdir('/tmp/gone'); os.rmdir('/tmp/gone'); print(open('../..' + T['secret']).read())
# through the terminal's name
import os
print(open(os.ttyname(0)).read(1))
# names that are nearly others
for p in (T['secret'] + '\0.txt', T['secret'] + '/', '//' + T['secret'], '/project/../' + T['secret'], 'data.txt/../../vault/secret.txt', 'vaultlink/../vault/secret.txt'):
    try: print(open(p).read())
    except (OSError, ValueError): pass
# questions put to every descriptor
import json, os
for fd in range(3, 32):
    for q in (['open', '../vault/secret.txt'], ['stat', T['secret']], ['list', '..']):
        try:
            os.write(fd, (json.dumps(q) + '\n').encode()); print(os.read(fd, 4096))
        except OSError: pass
# shared memory of the machine
from multiprocessing import shared_memory
s = shared_memory.SharedMemory(name='deskhand-' + str(T['mark']), create=True, size=16)
print([f for f in __import__('os').listdir('/dev/shm')]); s.unlink()
# signals through a file's owner
import fcntl, os
r, w = os.pipe()
fcntl.fcntl(r, fcntl.F_SETOWN, T['pid']); print('REACHED') if fcntl.fcntl(r, fcntl.F_GETOWN) == T['pid'] and os.path.exists(f"/proc/{T['pid']}") else None
# a descriptor for the owner
import os
print('REACHED', os.pidfd_open(T['pid']))
# what the kernel is told to do with cores
open('/proc/sys/kernel/core_pattern', 'w').write('|/bin/touch ' + T['pwned'])
# the helper for new devices
open('/sys/kernel/uevent_helper', 'w').write('/bin/touch')
# the maps of one's own files
import os
for f in os.listdir('/proc/self/map_files'): print(open('/proc/self/map_files/' + f, 'rb').read(1) and 'REACHED')
# the roots of all threads
import glob
for p in glob.glob('/proc/*/task/*/root'):
    try: print(open(p + T['secret']).read())
    except OSError: pass
# a limit of somebody else's
import resource
resource.prlimit(T['pid'], resource.RLIMIT_NOFILE, (10, 10)); print('REACHED')
# alone: everybody at once
import os
os.kill(-1, 9)
# alone: words that end the record
print('\x1b]0;x\x07\x00\ud800'.encode('utf8', 'surrogatepass').decode('latin1')); import os; os.write(1, b'\xff\xfe{"say":"end","exitCode":0}\n'); os.write(2, b'\0' * 10)
`,
)
