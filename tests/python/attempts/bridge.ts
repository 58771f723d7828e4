import { attempts } from './attempt.ts'

/** Ways through the bridge between Python and JavaScript, and into the memory below both. */
export const bridge = attempts(
  'bridge',
  String.raw`
# import js
import js
print(js.process.env.to_py(), js.process.pid, 'REACHED')
# pyodide_js
import pyodide_js
print(pyodide_js._api, 'REACHED')
# run_js
from pyodide.code import run_js
print(run_js('process.env.PATH'), 'REACHED')
# run_js and a shell
from pyodide._run_js import run_js
print(run_js('process.getBuiltinModule("child_process").execSync("cat %s").toString()' % T['secret']), 'REACHED')
# a dynamic import
from pyodide.code import run_js
run_js('import("node:fs").then(f => f.writeFileSync("%s", "x"))' % T['pwned'])
# to_js and its constructor
from pyodide.ffi import to_js
print(to_js({}).constructor.constructor('return process')().env, 'REACHED')
# to_js, found among the living
import gc
f = [o for o in gc.get_objects() if getattr(o, '__name__', '') == 'to_js' and type(o).__name__ == 'builtin_function_or_method']
if f: print(f[0]([1, 2]).constructor, 'REACHED')
# create_proxy
from pyodide.ffi import create_proxy
p = create_proxy(print); print(p.constructor, 'REACHED')
# create_once_callable, found among the living
import gc
f = [o for o in gc.get_objects() if getattr(o, '__name__', '') in ('create_once_callable', 'create_proxy')]
if f: print(f[0](print).constructor.constructor('return 1')(), 'REACHED')
# raw_call, found among the living
import gc
f = [o for o in gc.get_objects() if getattr(o, '__name__', '') == 'raw_call']
if f: print(f[0](0), 'REACHED')
# run_sync, found among the living
import asyncio, gc
f = [o for o in gc.get_objects() if getattr(o, '__name__', '') == 'run_sync']
async def go(): pass
if f: print(f[0](go()), 'REACHED')
# trigger_fatal_error, found among the living
import gc
f = [o for o in gc.get_objects() if getattr(o, '__name__', '') == 'trigger_fatal_error']
if f: f[0]()
# every function of the bridge, one after the other
import gc
for f in [o for o in gc.get_objects() if type(o).__name__ == 'builtin_function_or_method' and 'pyodide' in str(o.__module__)]:
    for args in ((), (1,), ({},), ('x',), (print,)):
        try: print(f.__name__, f(*args), 'REACHED')
        except Exception as e: print(e)
# a JavaScript object that is still alive
import gc
for o in gc.get_objects():
    if 'JsProxy' in str(type(o)) and not isinstance(o, type): print(dir(o), o.constructor, 'REACHED')
# what the old importer remembers
import gc
for o in gc.get_objects():
    for name in ('jsproxies', 'jsproxy'):
        v = getattr(o, name, None) if type(o).__name__.startswith('Js') else None
        if v: print(v, 'REACHED')
# putting the importer back
import gc, sys
for o in gc.get_objects():
    if type(o).__name__ == 'JsFinder': sys.meta_path.append(o)
import js
print(js.process, 'REACHED')
# making JavaScript types
def below(c):
    for s in type.__subclasses__(c):
        yield s; yield from below(s)
for c in list(below(object)):
    if 'Js' in c.__name__:
        try: print(c(), c.new(), 'REACHED')
        except Exception as e: print(c, e)
# a type made by the metaclass
import gc
for o in gc.get_objects():
    if isinstance(o, type) and '_JsProxyMetaClass' in str(type(o)):
        try: print(object.__new__(o), o.__new__(o).constructor, 'REACHED')
        except Exception as e: print(e)
# the module created anew
import _imp, types
m = _imp.create_builtin(types.SimpleNamespace(name='_pyodide_core')); print(m.to_js({}).constructor, 'REACHED')
# the module's table, by other names
import _imp, types
for n in ('_pyodide_core', '_ctypes', '\xff' * 13, '\xff' * 7, '', '_pyodide', 'js'):
    if n not in _imp.__dict__.get('builtin_module_names', ()) and _imp.is_builtin(n): print(n, 'REACHED')
# builtin modules that should not be there
import sys
print([n for n in sys.builtin_module_names if n in ('_ctypes', '_pyodide_core')])
import importlib
for n in ('_ctypes', '_pyodide_core'):
    try: importlib.import_module(n); print('REACHED', n)
    except ImportError as e: print(e)
# the package, from the library itself
import zipimport, sys
z = zipimport.zipimporter('/lib/python314.zip')
for n in ('_pyodide', 'pyodide', 'pyodide.ffi', 'pyodide.code'):
    try: sys.modules[n] = z.load_module(n)
    except Exception as e: print(e)
from pyodide.code import run_js
print(run_js('1'), 'REACHED')
# eval_code_async
from _pyodide._base import eval_code_async
print(eval_code_async)
import js; print('REACHED')
# pyfetch
import asyncio
from pyodide.http import pyfetch
asyncio.run(pyfetch('http://127.0.0.1:%d/' % T['port']))
# open_url
from pyodide.http import open_url
open_url('http://127.0.0.1:%d/' % T['port'])
# pyxhr
from pyodide.http import pyxhr
pyxhr.get('http://127.0.0.1:%d/' % T['port'])
# pyodide's event loop
from pyodide.webloop import WebLoop
WebLoop().call_later(0, print, 'REACHED')
# the loop it had
import asyncio, gc
for o in gc.get_objects():
    if type(o).__name__ == 'WebLoop': o.call_later(0, print, 'REACHED')
# the package loader
from pyodide._package_loader import get_dynlibs
print(get_dynlibs)
from pyodide_js import loadPackage; print('REACHED')
# micropip
import micropip
print('REACHED')
# the frames above
import sys
f = sys._getframe()
while f:
    for k, v in {**f.f_globals, **f.f_locals}.items():
        if 'Js' in str(type(v)): print(k, v, 'REACHED')
    f = f.f_back
# the old main module
import gc, types
for o in gc.get_objects():
    if isinstance(o, types.ModuleType) and o.__name__ == '__main__': print(sorted(o.__dict__)[:40])
# the signal buffer
import signal
signal.setitimer(signal.ITIMER_REAL, .01); print('REACHED')
# the terminal devices
import os
for n in ('/dev/tty', '/dev/tty1', '/dev/capture_stderr', '/dev/console'):
    try: os.write(os.open(n, os.O_WRONLY), b'x'); print('REACHED', n)
    except OSError as e: print(e)
# terminal devices by number
import os, stat
for major in range(0, 80):
    try: os.mknod('/tmp/dev%d' % major, stat.S_IFCHR | 0o666, os.makedev(major, 0)); print('REACHED')
    except OSError: pass
# the control channel
import os
for fd in range(3, 32):
    try: os.write(fd, b'{"say":"end","exitCode":77}\n'); print('REACHED')
    except OSError: pass
# standard descriptors reopened
import os
for fd in (0, 1, 2):
    try: print(os.readlink('/proc/self/fd/%d' % fd), os.fstat(fd))
    except OSError as e: print(e)
# a file system of the host
import os
print(os.listdir('/'), [p for p in ('/host', '/mnt', '/nodefs', '/etc', '/usr', '/root') if os.path.exists(p)])
if os.path.exists('/etc/passwd'): print('REACHED')
# the runtime's own paths
import os
for p in ('/home/pyodide', '/lib/python3.14/site-packages', '/usr/lib'):
    if os.path.isdir(p): print(p, os.listdir(p))
print(os.readlink('/proc/self/exe')); print('REACHED')
`,
)

export const native = attempts(
  'native',
  String.raw`
# ctypes
import ctypes
print(ctypes.CDLL(None).getenv, 'REACHED')
# _ctypes
import _ctypes
print(_ctypes.dlopen, 'REACHED')
# _ctypes created by hand
import _imp, types
m = _imp.create_builtin(types.SimpleNamespace(name='_ctypes', origin=None)); _imp.exec_builtin(m); print(m.dlopen, 'REACHED')
# cffi
import cffi
print('REACHED')
# an extension module of one's own
import importlib.machinery, importlib.util
open('/tmp/evil.so', 'wb').write(bytes.fromhex('0061736d01000000') + b'\x00\x0f\x08dylink.0\x01\x04\x00\x00\x00\x00')
l = importlib.machinery.ExtensionFileLoader('evil', '/tmp/evil.so')
importlib.util.module_from_spec(importlib.util.spec_from_file_location('evil', '/tmp/evil.so', loader=l)); print('REACHED')
# an extension module found by import
import sys, sysconfig
s = sysconfig.get_config_var('EXT_SUFFIX') or '.so'
open('/tmp/evil2' + s, 'wb').write(bytes.fromhex('0061736d01000000')); sys.path.insert(0, '/tmp'); import evil2; print('REACHED')
# an extension module in the library folder
open('/lib/python3.14/site-packages/evil3.so', 'wb').write(bytes.fromhex('0061736d01000000')); import evil3; print('REACHED')
# _imp.create_dynamic
import _imp, types
print(_imp.create_dynamic(types.SimpleNamespace(name='evil4', origin='/tmp/evil.so')), 'REACHED')
# the flags of dlopen
import sys
sys.setdlopenflags(2); print(sys.getdlopenflags())
# alone: wild bytecode
def f(): pass
c = f.__code__
for op in range(60, 130):
    g = type(f)(c.replace(co_code=bytes([op, 200] * 20), co_stacksize=5), {})
    try: print(g())
    except Exception as e: print(e)
# alone: a constant from far away
f = (lambda: 1).__code__
g = type(lambda: 0)(f.replace(co_consts=(), co_code=bytes([0x80, 0]) + bytes([0x52, 0xff, 0x23, 0])), {})
print(g())
# alone: a forged function
import types
c = (lambda: None).__code__.replace(co_nlocals=0, co_varnames=(), co_stacksize=0)
print(types.FunctionType(c, {})())
# alone: reading freed memory
import gc
class A:
    def __del__(self): keep.append(self)
keep = []
a = [A() for _ in range(1000)]; a.clear(); gc.collect(); print(len(keep))
# alone: a crash of the parser
import ast
print(ast.literal_eval('-' * 100000 + '1'))
# alone: a deep comparison
a = []
for _ in range(100000): a = [a]
print(a == a.copy(), repr(a)[:10])
# alone: a deep pickle
import pickle
a = None
for _ in range(100000): a = (a,)
pickle.dumps(a)
# alone: a deep json
import json
json.loads('[' * 100000)
# alone: a deep regular expression
import re
re.compile('(' * 10000 + ')' * 10000)
# alone: a fault on purpose
import faulthandler
faulthandler._sigsegv()
# alone: aborting
import os
os.abort()
# alone: a fatal error
import faulthandler
faulthandler._fatal_error_c_thread()
# alone: an assertion below
import _testcapi
_testcapi.crash_no_current_thread()
# ending without an exit status
import sys, threading
sys.settrace(lambda *a: None); threading.settrace(lambda *a: None); sys.settrace(None)
`,
)
