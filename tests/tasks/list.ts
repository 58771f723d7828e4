import { deskApps } from './desk-apps.ts'
import { files } from './files.ts'
import { sheets } from './sheets.ts'
import type { Task } from './task.ts'
import { terminal } from './terminal.ts'
import { text } from './text.ts'
import { web } from './web.ts'

export const TASKS: readonly Task[] = [...text, ...sheets, ...web, ...files, ...terminal, ...deskApps]
