// The suite names fs.globSync, which Node 20 lacks, for a part of it that is not run here.
import { register } from 'node:module'

const FS = `export * from 'node:fs'; export const globSync = () => { throw new Error('Node 20 has no globSync') }`
const HOOK = `
export const resolve = (specifier, context, next) =>
  specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(FS)}`)}, shortCircuit: true }
    : next(specifier, context)
`
register(`data:text/javascript,${encodeURIComponent(HOOK)}`)
