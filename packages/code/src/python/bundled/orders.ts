/** What a cell is told when it is started: everything it will ever know of the host. */
export interface Orders {
  /** The folder of the interpreter's package, and the memory to start it from. */
  pyodide: string
  snapshot: string
  /** The folder of the host that is lent, and where the script sees it. */
  lend: { from: string; to: string; hidden: string[] }
  scratch: string
  /** Python that defines `launch`. */
  launch: string
  memoryMb: number
  maxRssMb: number
  fileBytes: number
  keepBytes: { stdout: number; stderr: number }
  floodBytes: number
}
