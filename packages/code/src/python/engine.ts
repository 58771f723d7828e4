import type { ErrorBody } from '@deskhand/core/errors'

/** The limits of a script. One that exceeds them gets an error or ends. */
export interface Limits {
  memoryMb: number
  /** The largest file it may write to the scratch folder. */
  fileMb: number
  /** Output is cut at 50,000 and 10,000 characters; a script that goes on to write this much is ended. */
  floodMb: number
}

export const DEFAULT_LIMITS: Limits = { memoryMb: 512, fileMb: 64, floodMb: 64 }

export interface PythonJob {
  /** Source text, or the path of a file inside the project: relative, with forward slashes, already checked. */
  script: { code: string } | { file: string }
  args: string[]
  /** Lent read-only as the working directory, which is empty without one. */
  projectRoot?: string
  /** Real paths inside it that are never lent, beside what is private in it. */
  hidden: readonly string[]
  timeoutMs: number
  limits: Limits
  signal?: AbortSignal
}

export type PythonRunResult =
  | {
      ok: true
      stdout: string
      stderr: string
      exitCode: number
      durationMs: number
      stdoutTruncated: boolean
      stderrTruncated: boolean
    }
  | { ok: false; error: ErrorBody }

export type Availability = { ok: true; version: string } | { ok: false; reason: string; fix?: string }

/** A way to run Python. Every run is a fresh interpreter without network, processes or the host's environment. */
export interface PythonEngine {
  readonly name: string
  available(): Promise<Availability>
  /** Never throws: failures are in the result. */
  run(job: PythonJob): Promise<PythonRunResult>
  /** Prepares an interpreter before a job is known. */
  warm(limits: Limits): Promise<void>
  /** Ends everything the engine started. */
  close(): Promise<void>
}
