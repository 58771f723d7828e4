#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander'
import { DeskhandError } from '@deskhand/core/errors'
import { VERSION } from '../version.ts'
import { addOperatorCommands } from './operator-commands.ts'
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
  .addHelpText(
    'after',
    '\nAgents: deskhand skill prints everything about the first fourteen, with examples, selectors and errors: one read is enough.',
  )

program.commandsGroup('Operate a desktop:')
addVerbs(program, async (...call) => (await import('./verb.ts')).run(program.opts(), ...call))

program.commandsGroup('Everything else:')
program
  .command('up')
  .description('own a desktop and serve it to agents, programs and browsers until stopped')
  .option('--desktop <kind>', 'virtual, sandbox or host')
  .option('--ui <file>', 'what the simulated desktop shows')
  .option('--sandbox <id>', 'use a sandbox that is already up')
  .option('--display <server>', 'of a sandbox: x11 or wayland')
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
  .option('--check', 'only say what is wrong with it; no desktop is needed')
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
  .command('play <file>')
  .description('run a playbook from a file or by its name, every step of it governed; - is standard input')
  .option('--with <name=value...>', 'its parameters')
  .option('--rehearse', 'only show what each step would touch and what would be decided')
  .option('--wait <seconds>', 'how long to wait for an approval')
  .option('--json', 'as JSON')
  .action(async (file, options) => (await import('./play.ts')).play(program.opts(), file, options))

const playbook = program.command('playbook').description('check and sign playbooks')
playbook
  .command('check <file>')
  .description('say whether it can be used, and what rules call it')
  .action(async (file) => (await import('./playbook.ts')).check(file))
playbook
  .command('sign <file>')
  .description("put the operator's signature under it")
  .action(async (file) => (await import('./playbook.ts')).sign(program.opts(), file))
playbook
  .command('key')
  .description("print the operator's public key")
  .action(async () => (await import('./playbook.ts')).key(program.opts()))

const extension = program.command('extension').description('what others made for an application: selectors, policies, tasks, drivers')
extension
  .command('add <folder>')
  .description('show what a folder or an installed npm package would change, and add it; nothing of it is run')
  .option('--yes', 'do not ask')
  .action(async (from, options) => (await import('./extension.ts')).add(program.opts(), from, options))
extension
  .command('check <folder>')
  .description('show what it would change')
  .action(async (from) => (await import('./extension.ts')).check(program.opts(), from))
extension
  .command('list')
  .description('which there are, and what they name')
  .action(async () => (await import('./extension.ts')).list(program.opts()))
extension
  .command('remove <name>')
  .description('take one away')
  .option('--yes', 'as for add; nothing is asked')
  .action(async (name) => (await import('./extension.ts')).remove(program.opts(), name))
extension
  .command('sign <folder>')
  .description("put the operator's signature beside its files")
  .action(async (dir) => (await import('./extension.ts')).sign(program.opts(), dir))

program
  .command('mcp')
  .description('speak the Model Context Protocol')
  .option('--stdio', 'on standard input and output', true)
  .option('--describe <how>', 'short, or full: titles, every hint and output schemas, which a model pays for', 'short')
  .action(async (options) => (await import('./mcp.ts')).mcp(program.opts(), options))

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

const service = program
  .command('service [up-args...]')
  .description('print a unit of systemd that runs deskhand up, with what stands behind --: deskhand service -- --desktop sandbox')
  .action(async (args: string[]) => (await import('./service.ts')).print(program.opts(), args))
service
  .command('install [up-args...]')
  .description('put it where systemd looks for units of this user; asks first, and starts nothing')
  .option('--yes', 'do not ask')
  .option('--remove', 'take it away again')
  .action(async (args: string[], options) => (await import('./service.ts')).install(program.opts(), args, options))

addOperatorCommands(program)

const desktop = program.command('desktop').description('sandbox desktops')
desktop
  .command('up')
  .description('bring one up that stays until it is taken down')
  .option('--file <yaml>', 'what it is made of, in the shape of gui-enabled.yaml')
  .option('--width <px>', 'width')
  .option('--height <px>', 'height')
  .option('--display <server>', 'x11 or wayland')
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
  .option('--display <server>', 'x11 or wayland')
  .option('--isolate', 'also what isolation needs')
  .option('--vnc', 'also the VNC server')
  .option('--print', 'only print the line')
  .action(async (options) => (await import('./desktop.ts')).desktopInstall(program.opts(), options))

const driver = program.command('driver').description('drivers as MCP servers')
for (const kind of ['linux', 'virtual', 'windows'])
  driver
    .command(kind)
    .description(`serve the driver ${kind} to the process that starts this, or at an address to one client with the token`)
    .option('--mcp', 'speak MCP, on standard input and output where no port is given')
    .option('--port <port>', 'listen on this port of 127.0.0.1; 0 is any')
    .option('--ui <file>', 'of the simulated desktop: what it shows; nothing without')
    .option('--urn <urn>', 'what the desktop is called')
    .action(async (options) => (await import('./driver.ts')).serve(kind, options))

driver
  .command('check [command...]')
  .description('run the contract suite against a driver and print what holds: deskhand driver check -- node my-driver.mjs')
  .option('--url <url>', 'a driver at an address instead of a command')
  .option('--token-env <name>', 'the variable of the environment that holds its token')
  .option('--patience <seconds>', 'how long anything may take', '20')
  .option('--only <words>', 'only the checks whose sentence has these words')
  .option('--json', 'as JSON lines')
  .action(async (command, options) => (await import('./driver.ts')).check(command, options))

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
// A terminal that was closed, or a log whose reader has ended, ends no server.
process.stderr.on('error', () => {})

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
