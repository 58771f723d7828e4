import { attempts } from './attempt.ts'

export const environment = attempts(
  'environment',
  String.raw`
# os.environ
import os
print(dict(os.environ), os.environb)
# os.getenv
import os
print(os.getenv(T['variable']))
# posix.environ
import posix
print(posix.environ)
# a fresh posix module
import _imp, types
print(_imp.create_builtin(types.SimpleNamespace(name='posix')).environ)
# /proc/self/environ
print(open('/proc/self/environ').read())
# the owner's environment
print(open('/proc/%d/environ' % T['pid']).read())
# everybody's environment
import glob
for p in glob.glob('/proc/[0-9]*/environ'):
    try: print(open(p).read())
    except OSError: pass
# what a shell would say
import os
print(os.popen('env; printenv').read())
# expanding variables
import os.path
print(os.path.expandvars('$%s \${%s}' % (T['variable'], T['variable'])))
# the home folder
import os, pathlib
h = str(pathlib.Path.home()), os.path.expanduser('~root'); print(h)
for f in ('/.netrc', '/.npmrc', '/.gitconfig', '/.bash_history', '/.config', '/.cache'):
    for x in h:
        if os.path.exists(x + f): print('REACHED', x + f)
# the interpreter's own paths
import sys, sysconfig
print(sys.argv[0], sys.orig_argv, sys.path, sys.executable, sys.prefix, sys.base_prefix, sys.flags, sysconfig.get_paths())
# the machine's name
import platform, socket, os
if T['host'] in (platform.node(), os.uname().nodename): print('REACHED')
# leftovers in memory
import gc
for o in gc.get_objects():
    if isinstance(o, (dict, list)) and len(o) < 200:
        try: r = repr(o)
        except Exception: continue
        if T['variable'] + '=' in r or "'" + T['variable'] + "': 'SECRET" in r: print(r)
`,
)
