/** Where the Windows of the tests is. */
export const windowsHome: string
export function isWindowsReady(): boolean
