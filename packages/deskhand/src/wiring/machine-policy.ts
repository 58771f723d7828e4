import { parsePolicy, type PolicyFile } from '@deskhand/core/policy'

/** Rules that hold for every user of this computer, whatever their configuration says: those of Windows' group policy. */
export async function machinePolicy(): Promise<PolicyFile[]> {
  if (process.platform !== 'win32') return []
  const { GROUP_POLICY, groupPolicy } = await import('@deskhand/driver-windows')
  const text = await groupPolicy()
  return text === undefined ? [] : [parsePolicy(text, `HKLM\\${GROUP_POLICY.key}`, 'admin')]
}
