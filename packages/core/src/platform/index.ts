export { cpuPressure } from './cpu-pressure.ts'
export { connect, endpointOf, foreignOwner, isEndpoint, listen, type Listener } from './endpoint.ts'
export { createWhole, desktopFile, hasCode, syncFolder } from './files.ts'
export { type Lock, lockHolder, takeLock } from './lock.ts'
export {
  checkOwnerOnly,
  isOwn,
  makeFolder,
  makeKeyFolder,
  makeOwnerFolder,
  readOrMake,
  readOwnerOnly,
  writeOwnerOnly,
} from './owner-files.ts'
export { identify, inspect, isAlive, processes, type ProcessId, type ProcessInfo, readProc, readProcessId, self } from './process.ts'
export { loadSecret, parseSecret } from './secret-file.ts'
