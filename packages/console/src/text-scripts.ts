/** The texts of Scripts. */
export const SCRIPTS = {
  hint: 'Each call of a script is judged by the rules and recorded, as if an agent had made it. P pauses it, Esc twice stops it.',
  open: 'Open a file',
  check: 'Check',
  nothingWrong: {
    script: 'Nothing is wrong with it. What it would touch, and what the policy says to that, tells a rehearsal.',
    python: 'Python can read it. What the policy says to it, tells a rehearsal.',
  },
  rehearse: 'Rehearse',
  run: 'Run',
  script: 'PyAutoGUI script',
  python: 'Python',
  toTools: 'Turn into ui calls',
  language: 'Language',
  running: (line: number | undefined) => (line === undefined ? 'Running' : `Running line ${line}`),
  pausedAt: (line: number | undefined) => (line === undefined ? 'Paused' : `Paused at line ${line}`),
  results: {
    run: (isEarlier: boolean) => (isEarlier ? 'What an earlier text did' : 'What it did'),
    rehearsal: (isEarlier: boolean) => (isEarlier ? 'What an earlier text would do' : 'What it would do'),
  },
  columns: ['Line', 'Call', 'Element', 'Decision', 'Effect'],
  calls: 'The same as ui calls',
  nothing: 'Rehearse a script to see, step by step, which element it would touch and what the policy says.',
} as const
