import { findPyodide } from './engine.ts'
import { findOrMakeSnapshot } from './snapshot.ts'

/** Run at build time, so that nobody waits for the snapshot at the first use: node make-snapshot.js */
process.stdout.write(
  `${await findOrMakeSnapshot({ pyodide: findPyodide(), onProgress: (message) => process.stderr.write(`${message}\n`) })}\n`,
)
