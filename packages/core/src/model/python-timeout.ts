/** How many seconds `python.run` may take: the least and the most that an operator can say, and what holds without a word. */
export const PYTHON_TIMEOUT = { min: 1, max: 3600, usual: 60 } as const
