/** What a cell is given at its start; it learns nothing else about the host. */
export interface Orders {
  /** The folder of the interpreter's package, and the memory to start it from. */
  pyodide: string
  snapshot: string
  /** Where the script sees the folder it was lent, and the one it may write to. */
  project: string
  scratch: string
  /** Python that defines `launch`. */
  launch: string
  memoryMb: number
  maxRssMb: number
  fileBytes: number
  keepBytes: { stdout: number; stderr: number }
  floodBytes: number
}
