/** The part of WebAssembly that the cell touches; Node's types leave it out. */
declare namespace WebAssembly {
  type Exports = Record<string, unknown>
  class Instance {
    constructor(module: object, imports?: object)
    readonly exports: Exports
  }
  class Global {
    readonly value: number
  }
  class Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Table {}
  class Tag {}
  function instantiate(source: unknown, imports?: object): Promise<{ instance: Instance }>
}
