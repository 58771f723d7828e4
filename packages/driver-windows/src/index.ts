export { windowsDriver } from './factory.ts'
export { GROUP_POLICY, groupPolicy } from './group-policy.ts'
