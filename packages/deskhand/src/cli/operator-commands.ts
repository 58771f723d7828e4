import { Option, type Command } from 'commander'

/** What an operator does: stop and go on, answer, give and take permissions, write rules, read the record. */
export function addOperatorCommands(program: Command): void {
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
    .command('settings')
    .description('what is in force on the desktop that is up')
    .command('python [seconds]')
    .description('show or change how long python.run may take, until the desktop ends')
    .action(async (seconds) => (await import('./operate.ts')).pythonTimeout(program.opts(), seconds))
  const consent = program
    .command('consent')
    .description('on a Wayland desktop of your own: let agents send input and see pixels, for a time')
  consent
    .command('give')
    .option('--minutes <n>', 'for how long', '60')
    .action(async (options) => (await import('./operate.ts')).giveConsent(program.opts(), options))
  consent.command('withdraw').action(async () => (await import('./operate.ts')).withdrawConsent(program.opts()))
  consent
    .command('kwin')
    .description('on KDE, once: have KWin let this Node send input and take pictures')
    .option('--remove', 'have it let it in no more')
    .action(async (options) => (await import('./kwin-trust.ts')).trustInKwin(options))
  consent
    .command('gnome')
    .description('on GNOME, once: have the shell load an extension that tells this Node where windows are')
    .option('--remove', 'have it load it no more')
    .action(async (options) => (await import('./gnome-extension.ts')).extendGnome(options))
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
    .command('saved')
    .description('print the rules that operators saved for the desktop that is up')
    .action(async () => (await import('./saved-rules.ts')).print(program.opts()))
  policy
    .command('save <file>')
    .description('put this file in their place, once it is right, and say what it would have changed in the record')
    .action(async (file) => (await import('./saved-rules.ts')).save(program.opts(), file))
  policy
    .command('propose <op> <decision>')
    .description('print a rule for calls like a recorded one; decision is allow, deny or ask_user')
    .action(async (op, decision) => (await import('./saved-rules.ts')).propose(program.opts(), op, decision))
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
    .addOption(new Option('--as <form>', 'a playbook of what was done, by selectors').choices(['record', 'playbook']).default('record'))
    .option('--from <seq>', 'of a playbook: begin at this entry')
    .option('--to <seq>', 'of a playbook: end with this entry')
    .option('--title <name>', 'of a playbook: its name')
    .option('--parameter <name=text...>', 'of a playbook: what stands for a text that was typed')
    .action(async (file, dir, options) =>
      options.as === 'playbook'
        ? (await import('./journal/playbook.ts')).exportPlaybook(program.opts(), file, dir, options)
        : (await import('./journal.ts')).exportTo(program.opts(), file, dir, options),
    )
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
}
