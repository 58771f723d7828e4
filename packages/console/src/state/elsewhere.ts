import { useEffect, useState } from 'react'
import { useConsole } from '../parts/context.ts'

const AGAIN_MS = 3_000

/** A desktop that is not looked at, with how many questions wait on it. */
export interface Waiting {
  name: string
  count: number
}

/** The other desktops with questions. They are asked now and then: a feed for each would use up the connections that a browser has for one server. */
export function useElsewhere(): readonly Waiting[] {
  const { api, desktops, store } = useConsole()
  const [waiting, setWaiting] = useState<readonly Waiting[]>([])
  const here = store.api.name
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout>
    const others = desktops.filter(({ name }) => name !== here)
    const look = async (): Promise<void> => {
      const found = await Promise.all(
        others.map(async ({ name }) => ({
          name,
          count: await api
            .on(name)
            .approvals()
            .then(
              (list) => list.length,
              () => 0,
            ),
        })),
      )
      if (isOver) return
      setWaiting(found.filter(({ count }) => count > 0))
      timer = setTimeout(() => void look(), AGAIN_MS)
    }
    if (others.length === 0) setWaiting([])
    else void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, desktops, here])
  return waiting
}
