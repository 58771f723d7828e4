import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cap } from '@deskhand/core/driver'
import type { Env } from '../../display-server.ts'

/** KWin takes keys, not characters: which key gives which character is known of the US layout. Undefined where the person has that. */
export function keyboardGap(env: Env): Cap | undefined {
  const layouts = layoutsIn(readConfig(env))
  if (layouts.every((layout) => layout === 'us')) return undefined
  return {
    ok: false,
    reason: `the person's keyboard has the layout ${layouts.join(', ')}, and keys are known of us alone`,
    fix: 'Set one keyboard layout, English (US), in the system settings, or let agents set texts with ui.set and paste.',
  }
}

/** The layouts that KWin's configuration names, with their variants; one that names none has that of the system, which is US unless it was changed. */
export function layoutsIn(config: string): string[] {
  const section = /^\[Layout\]\n([^[]*)/m.exec(config)?.[1] ?? ''
  const list = (name: string): string[] => (new RegExp(`^${name}=(.*)$`, 'm').exec(section)?.[1] ?? '').split(',')
  const variants = list('VariantList')
  const layouts = list('LayoutList').map((layout, i) => (variants[i] ? `${layout}(${variants[i]})` : layout))
  return layouts.filter((layout) => layout !== '')
}

function readConfig(env: Env): string {
  try {
    return readFileSync(join(env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? '', '.config'), 'kxkbrc'), 'utf8')
  } catch {
    return ''
  }
}
