export { windowsDriver } from './factory.ts'
