import { readFileSync } from 'node:fs'

/** Libraries through which programs offer a tree: GTK 3, GTK 4, Qt, Chromium, Java. */
const TOOLKITS = /\/lib(?:atk-bridge-2|gtk-4|Qt[56]Gui|atspi|jvm)\b/

/** Whether a process has loaded nothing that could tell what it shows, as Tk and plain X programs do; what cannot be looked at may have. */
export function isWithoutToolkit(pid: number): boolean {
  try {
    return !TOOLKITS.test(readFileSync(`/proc/${pid}/maps`, 'latin1'))
  } catch {
    return false
  }
}
