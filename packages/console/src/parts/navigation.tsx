import { Crosshair, FileCode2, ListTree, MonitorPlay, ScrollText, Settings } from 'lucide-react'
import type { MouseEvent } from 'react'
import { useDesktop } from './context.ts'
import { addressOf, go, useRoute, type ViewName } from '../state/route.ts'
import { TEXT } from '../text.ts'

const ICONS = {
  desktop: MonitorPlay,
  timeline: ScrollText,
  inspector: Crosshair,
  policy: ListTree,
  scripts: FileCode2,
  settings: Settings,
} as const satisfies Record<ViewName, unknown>

export function Navigation() {
  const { view, desktop } = useRoute()
  const waiting = useDesktop().questions.filter((q) => q.state === 'open').length
  const follow = (to: ViewName) => (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    go({ view: to })
  }
  return (
    <nav className="nav" aria-label={TEXT.viewsLabel}>
      {(Object.keys(ICONS) as ViewName[]).map((name) => {
        const Icon = ICONS[name]
        return (
          <a
            key={name}
            href={addressOf({ view: name, desktop, op: undefined })}
            aria-current={name === view ? 'page' : undefined}
            className={name === 'settings' ? 'last' : undefined}
            onClick={follow(name)}
          >
            <Icon size={20} aria-hidden="true" />
            {TEXT.views[name]}
            {name === 'desktop' && waiting > 0 && <span className="badge">{waiting}</span>}
          </a>
        )
      })}
    </nav>
  )
}
