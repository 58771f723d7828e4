import { actionTool, type Tool } from './tool.ts'

export const desktopTools: readonly Tool[] = [
  actionTool('desktop.launch', 'desktop', 'launch', false, 'Start an application on the desktop and wait until it can be seen.'),
  actionTool('desktop.list', 'desktop', 'apps', true, 'The applications that show windows, each with its pid, executable and windows.'),
  actionTool(
    'desktop.close',
    'desktop',
    'close',
    false,
    'Close an application by its windows. It may ask about unsaved work: answer that, or use force.',
  ),
]
