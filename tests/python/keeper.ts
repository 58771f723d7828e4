import { bundledPython, createPython, systemPython } from '@deskhand/code/python'

/** Stands in for Deskhand: keeps a spare interpreter and runs one script that would never end. keeper.ts <engine> <project> */
const [engine, projectRoot = ''] = process.argv.slice(2)
const python = createPython({ engines: [engine === 'system' ? systemPython() : bundledPython()], projectRoot, timeoutSeconds: 600 })
await python.warm()
const code = 'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint("busy", flush=True)\nwhile True:\n  try:\n    while True: pass\n  except BaseException: pass'
void python.run({ code })
await python.warm()
process.stdout.write('ready\n')
