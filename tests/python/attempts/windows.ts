import { attempts } from './attempt.ts'

const OUTSIDE = "Z = 'Z:' + T['secret'].replace('/', chr(92))"

/** Ways that only Windows has: its own spellings of paths, its devices and its programs. */
export const windows = attempts(
  'files',
  String.raw`
# a path with a drive
${OUTSIDE}
print(open(Z).read())
# a path with a drive, below the project
${OUTSIDE}
print(open('/project/' + Z).read())
# a path of the kernel
${OUTSIDE}
print(open(chr(92) * 2 + '?' + chr(92) + Z).read())
# a share
print(open(chr(92) * 2 + '127.0.0.1' + chr(92) + 'C$' + chr(92) + 'windows' + chr(92) + 'win.ini').read()); print('REACHED')
# out of the project by backslashes
for up in range(1, 12):
    try: print(open('/project/' + ('..' + chr(92)) * up + 'vault' + chr(92) + 'secret.txt').read())
    except OSError: pass
# through a link by backslashes
print(open('/project/vaultlink' + chr(92) + 'secret.txt').read())
# beside the project by a name that continues its own
print(open('/project/..' + chr(92) + 'project' + chr(92) + '..' + chr(92) + 'vault' + chr(92) + 'secret.txt').read())
# a second stream of a file
print(open('/project/data.txt:hidden').read()); print('REACHED')
# the stream that a folder has
import os
print(os.listdir('/project/vaultlink::$INDEX_ALLOCATION')); print('REACHED')
# devices
for name in ('CON', 'NUL', 'COM1', 'CONIN$', 'PRN', 'AUX'):
    try: print(open('/project/' + name, 'rb').read(1)); print('REACHED', name)
    except OSError: pass
# pipes by name
for name in ('wineserver', 'lsass', 'ntsvcs'):
    try: open(chr(92) * 2 + '.' + chr(92) + 'pipe' + chr(92) + name, 'r+b', buffering=0).write(b'x'); print('REACHED')
    except OSError: pass
# its programs
import os, subprocess
os.system('cmd /c echo x > Z:' + T['pwned'].replace('/', chr(92)))
subprocess.run(['cmd.exe', '/c', 'echo', 'x'], shell=True)
# its registry
import winreg
print(winreg.OpenKey(winreg.HKEY_CURRENT_USER, 'Software')); print('REACHED')
# its libraries
import ctypes
print(ctypes.windll.kernel32.GetCurrentProcessId()); print('REACHED')
`,
)
