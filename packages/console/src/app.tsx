import { Tooltip } from 'radix-ui'
import { Suspense, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react'
import { Api, type NamedDesktop } from './api/client.ts'
import { Header } from './parts/header.tsx'
import { ConsoleContext } from './parts/context.ts'
import { Coming, later } from './parts/later.tsx'
import { Navigation } from './parts/navigation.tsx'
import { Empty } from './parts/parts.tsx'
import { DesktopStore } from './state/desktop-store.ts'
import { Drafts } from './state/drafts.ts'
import { useRoute, type ViewName } from './state/route.ts'
import { TEXT } from './text.ts'
import { Snippet } from './parts/snippet.tsx'
import { DesktopView } from './views/desktop/desktop.tsx'

const VIEWS: Readonly<Record<ViewName, React.ComponentType>> = {
  desktop: DesktopView,
  timeline: later(async () => (await import('./views/timeline/timeline.tsx')).TimelineView),
  inspector: later(async () => (await import('./views/inspector/inspector.tsx')).InspectorView),
  policy: later(async () => (await import('./views/policy/policy.tsx')).PolicyView),
  scripts: later(async () => (await import('./views/scripts/scripts.tsx')).ScriptsView),
  settings: later(async () => (await import('./views/settings/settings.tsx')).SettingsView),
}

const RETRY_MS = 1_500
const TOLD_MS = 8_000

/** Signs in, finds the desktops, and shows one of the views. */
export function App() {
  const [api, setApi] = useState<Api | 'signed out' | undefined>()
  const [desktops, setDesktops] = useState<readonly NamedDesktop[]>()
  const [isOffline, setOffline] = useState(false)
  const [drafts] = useState(() => new Drafts())
  const signedOut = useCallback(() => setApi('signed out'), [])

  useEffect(() => {
    if (api !== undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const attempt = async (): Promise<void> => {
      try {
        const found = (await Api.signIn()) ?? 'signed out'
        if (found !== 'signed out') setDesktops(await found.desktops())
        setApi(found)
        setOffline(false)
      } catch {
        setOffline(true)
        timer = setTimeout(() => void attempt(), RETRY_MS)
      }
    }
    void attempt()
    return () => clearTimeout(timer)
  }, [api])
  useEffect(() => {
    // A link that was opened in another tab signs this one in, too.
    const signedInElsewhere = (): void => setApi((now) => (now === 'signed out' ? undefined : now))
    addEventListener('storage', signedInElsewhere)
    return () => removeEventListener('storage', signedInElsewhere)
  }, [])

  if (isOffline) return <Alone title={TEXT.offline} />
  if (api === 'signed out')
    return (
      <Alone title={TEXT.signedOut}>
        <p>{TEXT.signIn}</p>
        <Snippet text={TEXT.signInCommand} />
      </Alone>
    )
  if (api === undefined || desktops === undefined) return <Alone title={TEXT.loading} />
  return <SignedIn api={api} drafts={drafts} desktops={desktops} setDesktops={setDesktops} signedOut={signedOut} />
}

interface SignedInProps {
  api: Api
  drafts: Drafts
  desktops: readonly NamedDesktop[]
  setDesktops(found: readonly NamedDesktop[]): void
  signedOut(): void
}

function SignedIn({ api, drafts, desktops, setDesktops, signedOut }: SignedInProps) {
  const route = useRoute()
  const name = desktops.find((d) => d.name === route.desktop)?.name ?? desktops[0]?.name
  const refresh = useCallback(async () => setDesktops(await api.desktops()), [api, setDesktops])
  const store = useMemo(() => {
    const ended = { signedOut, gone: () => void refresh().catch(() => {}) }
    return name === undefined ? undefined : new DesktopStore(api.on(name), ended)
  }, [api, name, refresh, signedOut])
  const [told, setTold] = useState('')
  const complain = useCallback((problem: string) => setTold(problem), [])

  useEffect(() => {
    store?.open()
    return () => store?.close()
  }, [store])
  useEffect(() => {
    const timer = told === '' ? undefined : setTimeout(() => setTold(''), TOLD_MS)
    return () => clearTimeout(timer)
  }, [told])

  if (store === undefined)
    return (
      <Alone title={TEXT.noDesktop}>
        <p>{TEXT.noDesktopHint}</p>
        <Snippet text={TEXT.signInCommand} />
      </Alone>
    )
  const View = VIEWS[route.view]
  return (
    <Tooltip.Provider delayDuration={300}>
      <ConsoleContext value={{ api, desktops, store, drafts, refresh, complain }}>
        <div className="shell">
          <Header />
          <div className="body">
            <Navigation />
            <Suspense
              fallback={
                <main className="page">
                  <Coming />
                </main>
              }
            >
              <View />
            </Suspense>
          </div>
          {told !== '' && (
            <div className="toast" role="alert">
              {told}
            </div>
          )}
        </div>
      </ConsoleContext>
    </Tooltip.Provider>
  )
}

function Alone({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <main className="alone">
      <Empty icon={<img src="/icon.svg" width="48" height="48" alt="" />} title={title}>
        {children}
      </Empty>
    </main>
  )
}
