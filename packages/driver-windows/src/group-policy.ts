/** Where the group policy of the machine keeps its rules: administrators and the system alone may write below this key. */
export const GROUP_POLICY = { key: 'SOFTWARE\\Policies\\Deskhand', value: 'Rules' } as const

/** The rules that the administrator of this machine gives by group policy, as TOML; undefined where there are none. */
export async function groupPolicy(): Promise<string | undefined> {
  const { machineText } = await import('./win32/registry.ts')
  return machineText(GROUP_POLICY.key, GROUP_POLICY.value)
}
