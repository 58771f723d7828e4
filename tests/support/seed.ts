import fc from 'fast-check'

/** Generated cases are the same in every run, so that a failure repeats; DESKHAND_SEED=<number> draws others. */
fc.configureGlobal({ seed: Number(process.env['DESKHAND_SEED'] ?? 20_261_115) })
