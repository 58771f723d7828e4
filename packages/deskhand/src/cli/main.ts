#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander'
import { DeskhandError } from '@deskhand/core/errors'
import { VERSION } from '../version.ts'
import { addVerbs } from './verbs.ts'

/** Commands load what they need only when they run, so that a quick call starts quickly. */
const program = new Command('deskhand')
  .description('Governed hands on a desktop for AI agents')
  .version(VERSION)
  .option('--config <file>', 'deskhand.toml to use')
  .option('-d, --name <name>', 'the desktop to talk to, when several are up')
  .showSuggestionAfterError()
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) })

program
  .command('up')
  .description('own a desktop and serve it to agents, programs and browsers until stopped')
  .option('--desktop <kind>', 'virtual, sandbox or host')
  .option('--ui <file>', 'what the simulated desktop shows')
  .option('--sandbox <id>', 'use a sandbox that is already up')
  .option('--isolate', 'lock the programs of a sandbox up; agents of other users need it')
  .option('--policy <file...>', 'policy files on top of the preset')
  .option('--preset <name>', 'observe, supervised, sandbox or unattended')
  .option('--agent-group <group>', 'let agents of other users in: those of this group')
  .option('--door <dir>', 'where they come in; /run/deskhand/<name> when left out')
  .option('--port <port>', 'where to listen; 0 is any free port')
  .option('--host <address>', 'which address to listen on; others than the loopback need TLS')
  .option('--tls-cert <file>', 'the certificate, with --tls-key')
  .option('--tls-key <file>', 'its key')
  .option('--log <level>', 'silent, error, info or debug')
  .option('--no-http', 'only the local socket: no address, no console')
  .option('--idle <minutes>', 'with --no-http: end when nobody was connected for so long')
  .option('--json', 'print one line of JSON when ready')
  .addOption(new Option('--front <url>').hideHelp())
  .action(async (options) =>
    options.http ? (await import('./up.ts')).up(program.opts(), options) : (await import('./broker.ts')).broker(program.opts(), options),
  )

addVerbs(program, async (...call) => (await import('./verb.ts')).run(program.opts(), ...call))

program
  .command('call [tool] [json]')
  .description('make one call, or with --stdin one per line')
  .option('--stdin', 'read {"tool","args"} lines and print a JSON result for each')
  .option('--wait <seconds>', 'how long to wait for an approval before answering that it is pending')
  .option('--dry-run', 'resolve and decide only')
  .action(async (tool, json, options) => (await import('./call.ts')).call(program.opts(), tool, json, options))

program
  .command('run <file>')
  .description('run a PyAutoGUI script, every call of it governed; - is standard input')
  .option('--profile <profile>', 'agent: what models write; strict: no imports, only the bare minimum', 'agent')
  .option('--rehearse', 'only show what each call would touch and what would be decided')
  .option('--to-tools', 'print what it does as ui.* calls by selectors, for call --stdin')
  .option('--relative', 'floats from 0 to 1 are parts of the screen')
  .option('--pause <seconds>', 'between calls', '0.1')
  .option('--json', 'every call and the outcome as JSON lines')
  .action(async (file, options) => (await import('./run.ts')).run(program.opts(), file, options))

program
  .command('rehearse <file>')
  .description('say what a list of calls would touch and what would be decided, and do none of them; - is standard input')
  .option('--ask', 'put it to the operator as one plan')
  .option('--wait <seconds>', 'how long to wait for the answer')
  .option('--json', 'as JSON')
  .action(async (file, options) => (await import('./rehearse.ts')).rehearse(program.opts(), file, options))

program
  .command('mcp')
  .description('speak the Model Context Protocol')
  .option('--stdio', 'on standard input and output', true)
  .action(async () => (await import('./mcp.ts')).mcp(program.opts()))

program
  .command('tools')
  .description('print the tools for a model API')
  .option('--format <format>', 'mcp, openai or anthropic', 'mcp')
  .option('--instructions', 'print what a model should be told instead')
  .option('--all', 'every toolset, not only those of the configuration')
  .action(async (options) => (await import('./tools.ts')).tools(program.opts(), options))

const skill = program
  .command('skill')
  .description('print what an agent with a shell should read')
  .action(async () => (await import('./skill.ts')).print())
skill
  .command('install')
  .description('put it where an agent looks for it; asks first')
  .option('--for <agent>', 'agents, claude, codex, gemini or copilot', 'agents')
  .option('--user', 'in the home folder, not in this one')
  .option('--yes', 'do not ask')
  .option('--remove', 'take it away again')
  .action(async (options) => (await import('./skill.ts')).install(options))

program
  .command('stop')
  .description('stop every action now, and hold')
  .action(async () => (await import('./operate.ts')).stop(program.opts()))
program
  .command('pause')
  .description('let every acting call wait, and running scripts before their next one')
  .action(async () => (await import('./operate.ts')).pause(program.opts()))
program
  .command('resume')
  .description('let actions go on, after stop, after pause, and though a person may still be at the controls')
  .action(async () => (await import('./operate.ts')).resume(program.opts()))
program
  .command('mode [mode]')
  .description('show or change how far real input may go')
  .option('--app <name...>', 'restricted: executables that may be operated')
  .option('--input <device>', 'restricted: keyboard, mouse or any', 'any')
  .option('--minutes <n>', 'restricted: for how long', '15')
  .action(async (mode, options) => (await import('./operate.ts')).mode(program.opts(), mode, options))
program
  .command('down')
  .description('end the broker')
  .action(async () => (await import('./operate.ts')).down(program.opts()))
program
  .command('status')
  .description('which desktops are up')
  .action(async () => (await import('./operate.ts')).status(program.opts()))

const approvals = program
  .command('approvals')
  .description('answer what agents ask for')
  .option('--watch', 'in this terminal, as they ask')
  .action(async (options) => (options.watch ? (await import('./approvals.ts')).watch(program.opts()) : approvals.help({ error: true })))
approvals
  .command('list')
  .description('what waits for an answer')
  .option('--json', 'as JSON')
  .action(async (options) => (await import('./approvals.ts')).list(program.opts(), options))
approvals
  .command('picture <id> <file>')
  .description('save what the element in question looks like, where that may be shown')
  .action(async (id, file) => (await import('./approvals.ts')).picture(program.opts(), id, file))
approvals
  .command('allow <id>')
  .option('--scope <scope>', 'once, session or app', 'once')
  .option('--answer <text>', "the answer to a script's question, or one of its buttons; - reads a line from standard input")
  .action(async (id, options) => (await import('./approvals.ts')).allow(program.opts(), id, options))
approvals
  .command('deny <id>')
  .option('--reason <text>', 'the agent reads it')
  .action(async (id, options) => (await import('./approvals.ts')).deny(program.opts(), id, options))

const grants = program.command('grants').description('standing permissions from session and app answers')
grants
  .command('list')
  .option('--json', 'as JSON')
  .action(async (options) => (await import('./approvals.ts')).listGrants(program.opts(), options))
grants.command('revoke <id>').action(async (id) => (await import('./approvals.ts')).revoke(program.opts(), id))

const token = program.command('token').description('who may reach a desktop over HTTP and MCP')
token
  .command('add <id>')
  .description('make a token, or a new one in its place; it is shown once')
  .option('--role <role>', 'agent, viewer or operator', 'agent')
  .option('--all', 'for every desktop of the server')
  .action(async (id, options) => (await import('./token.ts')).add(program.opts(), id, options))
token
  .command('list')
  .option('--all', 'those that count for every desktop')
  .action(async (options) => (await import('./token.ts')).list(program.opts(), options))
token
  .command('remove <id>')
  .option('--all', 'one that counts for every desktop')
  .action(async (id, options) => (await import('./token.ts')).remove(program.opts(), id, options))

const policy = program.command('policy').description('write, try and compare policies')
policy
  .command('check <file>')
  .description('everything wrong or doubtful about a policy file or a folder of them')
  .option('--admin', "as the administrator's")
  .option('--json', 'as JSON')
  .action(async (file, options) => (await import('./policy.ts')).check(program.opts(), file, options))
policy
  .command('explain <tool> [json]')
  .description('what would be decided about a call on the desktop as it is now, by which rule, and why')
  .option('--as <agent>', 'whose call', 'agent')
  .option('--intent <text>', 'why the agent says it wants this')
  .option('--json', 'as JSON')
  .action(async (tool, json, options) => (await import('./policy.ts')).explain(program.opts(), tool, json, options))
policy
  .command('replay <file> <journal>')
  .description('what a policy would have decided differently about everything in a journal')
  .option('--preset <name>', 'the preset below it')
  .option('--all', 'also what stays the same')
  .option('--check', 'exit with 1 when anything differs')
  .option('--non-interactive', 'as if nobody could have been asked')
  .option('--json', 'as JSON lines')
  .action(async (file, dir, options) => (await import('./policy.ts')).replay(program.opts(), file, dir, options))
policy
  .command('show [preset]')
  .description('print a preset, or their names')
  .action(async (preset) => (await import('./policy.ts')).show(preset))

const journal = program.command('journal').description('read and check the record')
journal
  .command('verify [path]')
  .description('find any line that was changed, removed or inserted, in a journal or an exported file')
  .option('--key <key>', 'who must have signed it, where no anchor says so')
  .option('--head <hash>', 'what it must end with')
  .option('--json', 'as JSON')
  .action(async (path, options) => (await import('./journal.ts')).verify(program.opts(), path, options))
journal
  .command('list [dir]')
  .description('print the entries')
  .option('--type <type...>', 'decided, answered, acting, done, operator, human, rejected, checkpoint')
  .option('--tool <name>', 'calls of this tool, from decision to end')
  .option('--op <id>', 'one operation')
  .option('--since <time>', 'a date and time, or how long ago: 10m, 2h, 3d')
  .option('--until <time>', 'the same')
  .option('--follow', 'go on with what is written')
  .option('--json', 'as JSON lines')
  .action(async (dir, options) => (await import('./journal.ts')).list(program.opts(), dir, options))
journal
  .command('show <id> [dir]')
  .description('tell one operation as a story, by its id or the number of an entry')
  .option('--json', 'as JSON lines')
  .action(async (id, dir, options) => (await import('./journal.ts')).show(program.opts(), id, dir, options))
journal
  .command('export <file> [dir]')
  .description('the whole record as one file that can be verified elsewhere; - is standard output')
  .action(async (file, dir) => (await import('./journal.ts')).exportTo(program.opts(), file, dir))
journal
  .command('replay [dir]')
  .description('make the recorded calls again, and stop where things are no longer as they were')
  .option('--from <seq>', 'begin at this entry')
  .option('--to <seq>', 'end with this entry')
  .option('--step', 'ask before every call')
  .option('--dry-run', 'resolve and decide only')
  .option('--patience <seconds>', 'how long an element may take to appear', '10')
  .option('--secret <seq=name...>', 'the secret to type where the text was not kept')
  .action(async (dir, options) => (await import('./journal/replay.ts')).replay(program.opts(), dir, options))

journal
  .command('evidence <id> <file> [dir]')
  .description('decrypt what was kept as enc:…, with the key that the configuration names')
  .action(async (id, file, dir) => (await import('./journal/evidence.ts')).evidence(program.opts(), id, file, dir))

const desktop = program.command('desktop').description('sandbox desktops')
desktop
  .command('up')
  .description('bring one up that stays until it is taken down')
  .option('--file <yaml>', 'what it is made of, in the shape of gui-enabled.yaml')
  .option('--width <px>', 'width')
  .option('--height <px>', 'height')
  .option('--isolate', 'lock its applications up: no network, a home of their own, a read-only system')
  .option('--vnc', 'a view-only VNC server on a socket in its folder')
  .option('--json', 'as JSON')
  .action(async (options) => (await import('./desktop.ts')).desktopUp(program.opts(), options))
desktop
  .command('down [id]')
  .description('take one or all down')
  .action(async (id) => (await import('./desktop.ts')).desktopDown(program.opts(), id))
desktop
  .command('list')
  .description('which there are, and how they are')
  .option('--json', 'as JSON')
  .action(async (options) => (await import('./desktop.ts')).desktopList(program.opts(), options))
desktop
  .command('env <id>')
  .description('shell lines that put the programs of a shell on it')
  .action(async (id) => (await import('./desktop.ts')).desktopEnv(program.opts(), id))
desktop
  .command('run <id> <command...>')
  .description('run a program on it: deskhand desktop run <id> -- mousepad notes.txt')
  .option('--detach', 'leave it running and print its pid')
  .action(async (id, command, options) => (await import('./desktop.ts')).desktopRun(program.opts(), id, command, options))
desktop
  .command('screenshot <id> <file>')
  .description('its screen as a PNG file')
  .action(async (id, file) => (await import('./desktop.ts')).desktopScreenshot(program.opts(), id, file))
desktop
  .command('install')
  .description('install the Debian packages that it needs, where that is allowed')
  .option('--file <yaml>', 'also those that this file lists')
  .option('--isolate', 'also what isolation needs')
  .option('--vnc', 'also the VNC server')
  .option('--print', 'only print the line')
  .action(async (options) => (await import('./desktop.ts')).desktopInstall(program.opts(), options))

const ui = program.command('ui').description('simulated user interfaces')
ui.command('check <file>')
  .description('say whether a user interface file can be loaded, and what is wrong with it')
  .action(async (file) => (await import('./ui.ts')).checkUi(file))

program
  .command('doctor')
  .description('what is there, what is missing, and how to get it')
  .option('--json', 'as JSON')
  .action(async (options) => (await import('./doctor.ts')).doctor(program.opts(), options))

program
  .command('demo')
  .description('watch a scripted agent work on the simulated desktop')
  .option('--once', 'end after one round')
  .action(async (options) => (await import('./demo.ts')).demo(options))

// A reader that has seen enough, such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

try {
  await program.parseAsync()
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : 2
  else {
    const error = DeskhandError.from(thrown)
    const { visible } = await import('@deskhand/core/selector/quote')
    process.stderr.write(`${error.code}: ${visible(error.message)}\nNext: ${visible(error.next)}\n`)
    if (error.code === 'INTERNAL' && process.env['DESKHAND_DEBUG'])
      process.stderr.write(`${String((error.cause as Error | undefined)?.stack)}\n`)
    process.exitCode = error.exitCode
  }
}
