import { actionTool, type Tool } from './tool.ts'

/** Raw input and pictures, for programs that bring their own loop; models have better tools. */
export const inputTools: readonly Tool[] = [
  actionTool('input.pointer', 'input', 'pointer', false, 'Send pointer events: move, down, up, wheel, pause.'),
  actionTool('input.keys', 'input', 'keys', false, 'Send key events: down, up, press, pause.'),
  actionTool('input.capture', 'input', 'capture', true, 'Take a picture of the desktop or of a part of it.'),
  actionTool('input.screens', 'input', 'screens', true, 'The screens, and where the pointer is.'),
]
