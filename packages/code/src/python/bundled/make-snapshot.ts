import { findPyodide } from './engine.ts'
import { findOrMakeSnapshot } from './snapshot.ts'

/** Run at build time, so that the first use need not make the snapshot: node make-snapshot.js */
process.stdout.write(
  `${await findOrMakeSnapshot({ pyodide: findPyodide(), onProgress: (message) => process.stderr.write(`${message}\n`) })}\n`,
)
