import { attempts } from './attempt.ts'

export const processes = attempts(
  'processes',
  String.raw`
# os.system
import os
os.system('touch ' + T['pwned'])
# os.popen
import os
print(os.popen('cat ' + T['secret']).read())
# subprocess.run
import subprocess
print(subprocess.run(['cat', T['secret']], capture_output=True))
# a shell
import subprocess
print(subprocess.getoutput('cat ' + T['secret']))
# staying behind
import subprocess
subprocess.Popen(['sleep', '60.' + T['mark']], start_new_session=True, stdin=-3, stdout=-3, stderr=-3)
# staying behind, by the shell
import os
os.system('setsid sleep 60.%s >/dev/null 2>&1 &' % T['mark'])
# fork
import os
pid = os.fork()
if pid == 0: open(T['pwned'], 'w').write('x'); os._exit(0)
os.waitpid(pid, 0); print('REACHED')
# forkpty
import os
pid, fd = os.forkpty()
if pid == 0: os._exit(0)
print('REACHED')
# pty.spawn
import pty
pty.spawn(['touch', T['pwned']]); print('REACHED')
# posix_spawn
import os
os.posix_spawn('/bin/touch', ['touch', T['pwned']], {})
# posix_spawnp
import os
os.posix_spawnp('touch', ['touch', T['pwned']], {})
# spawnv
import os
os.spawnv(os.P_WAIT, '/bin/touch', ['touch', T['pwned']])
# _posixsubprocess
import os, _posixsubprocess, subprocess
r, w = os.pipe()
_posixsubprocess.fork_exec([b'touch', T['pwned'].encode()], [b'/bin/touch'], True, (w,), None, None, -1, -1, -1, -1, -1, -1, r, w, False, False, -1, None, None, None, -1, None, False); print('REACHED')
# multiprocessing, forked
import multiprocessing
p = multiprocessing.get_context('fork').Process(target=lambda: open(T['pwned'], 'w')); p.start(); p.join()
# multiprocessing, spawned
import multiprocessing, os
p = multiprocessing.get_context('spawn').Process(target=os.listdir); p.start(); p.join(); print('REACHED')
# a process pool
import concurrent.futures, os
with concurrent.futures.ProcessPoolExecutor(1) as e: print(e.submit(os.getpid).result(5)); print('REACHED')
# asyncio exec
import asyncio
async def go():
    p = await asyncio.create_subprocess_exec('cat', T['secret'], stdout=-1); print(await p.communicate())
asyncio.run(go())
# asyncio shell
import asyncio
async def go():
    p = await asyncio.create_subprocess_shell('touch ' + T['pwned']); await p.wait()
asyncio.run(go())
# a pickle that runs a command
import os, pickle
class P:
    def __reduce__(self): return os.system, ('touch ' + T['pwned'],)
pickle.loads(pickle.dumps(P()))
# a pager
import os, pydoc
os.environ['PAGER'] = 'touch %s; cat' % T['pwned']; pydoc.pipepager('x', os.environ['PAGER'])
# an editor
import os, subprocess
os.environ['EDITOR'] = 'touch'; subprocess.call('%s %s' % (os.environ['EDITOR'], T['pwned']), shell=True)
# a browser
import os, webbrowser
webbrowser.register('x', None, webbrowser.GenericBrowser(['touch', T['pwned']])); webbrowser.get('x').open('y')
# ctypes' search for libraries
import ctypes.util
ctypes.util.find_library('x; touch ' + T['pwned'])
# harmful: the user's start-up files
import os
open(os.path.expanduser('~/.bashrc'), 'a').write('touch ' + T['pwned']); open(os.path.expanduser('~/sitecustomize.py'), 'w').write('1')
# harmful: killing the owner
import os, signal
os.kill(T['pid'], signal.SIGKILL); print('REACHED')
# harmful: killing the parent
import os, signal
p = os.getppid(); assert p == T['pid']; os.kill(p, signal.SIGKILL); print('REACHED')
# harmful: stopping the owner
import os, signal
os.kill(T['pid'], signal.SIGSTOP); print('REACHED')
# harmful: asking the owner
import os
os.kill(T['pid'], 0); print('REACHED')
# harmful: the owner's group
import os, signal
os.killpg(os.getpgid(T['pid']), signal.SIGTERM); print('REACHED')
# harmful: the owner's priority
import os
os.setpriority(os.PRIO_PROCESS, T['pid'], 15); print('REACHED')
# the owner's limits
import resource
print(resource.prlimit(T['pid'], resource.RLIMIT_NOFILE)); print('REACHED')
# the owner's place among the processors
import os
print(os.sched_getaffinity(T['pid'])); print('REACHED')
# a look at the process table
import os
for p in os.listdir('/proc'):
    if p == str(T['pid']): print('REACHED', open('/proc/%s/cmdline' % p).read())
# alone: becoming another program
import os
os.execv('/bin/sh', ['sh', '-c', 'touch %s; cat %s' % (T['pwned'], T['secret'])])
# alone: becoming another program, by name
import os
os.execvp('cat', ['cat', T['secret']])
# alone: becoming another interpreter
import os, sys
os.execv(sys.executable or '/usr/bin/python3', ['python3', '-c', 'print(open(%r).read())' % T['secret']])
`,
)
