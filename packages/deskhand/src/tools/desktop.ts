import { actionTool, type Tool } from './tool.ts'

export const desktopTools: readonly Tool[] = [
  actionTool('desktop.launch', 'desktop', 'launch', false, 'Start an application on the desktop and wait until it can be seen.'),
]
