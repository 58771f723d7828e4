import { time } from '../report.ts'
import { AREA, MOUSEPAD, type Place } from './agents.ts'
import { peerClient } from './mcp.ts'

const ASCII = 'The quick brown fox (a+b)*c jumps; over {it} @ 50% & more. '.repeat(4).slice(0, 200)
/** It counts in the pixels of the picture it sends, which is smaller than the screen. */
const SCALE = 0.7626

/** Beside computer-use-mcp, which sees pixels only. */
export async function computerUse({ report, desk, ours, peers }: Place): Promise<void> {
  if (peers === undefined) return
  await ours.use('ui.window', { op: 'activate', target: MOUSEPAD })
  const [shot, click, type] = [
    await time(9, () => ours.use('gui_screenshot')),
    await time(9, () => ours.use('ui.click', { target: AREA })),
    await time(5, () => ours.use('ui.type', { text: ASCII, target: AREA })),
  ]
  const client = await peerClient(peers, desk).catch((error: unknown) => report.note(`computer-use-mcp: ${String(error)}`))
  const theirs = async (runs: number, args: Record<string, unknown>): Promise<number | undefined> =>
    client === undefined
      ? undefined
      : time(
          runs,
          async () => {
            const { isError, content } = await client.callTool({ name: 'computer', arguments: args })
            if (isError === true) throw new Error(`computer-use-mcp: ${JSON.stringify(content).slice(0, 200)}`)
          },
          1,
        )
  try {
    const { x, y } = await desk.atspi.ask<{ x: number; y: number }>({ do: 'look', app: 'mousepad', role: 'text' })
    const at = { coordinate: [Math.round(x * SCALE), Math.round(y * SCALE)] }
    const beside = async (runs: number, args: Record<string, unknown>) => ({ peer: await theirs(runs, args), peerName: 'computer-use-mcp' })
    report.add({ name: 'a screenshot, by MCP', unit: 'ms', ours: shot, ...(await beside(3, { action: 'get_screenshot' })) })
    report.add({ name: 'a click, by MCP', unit: 'ms', ours: click, ...(await beside(5, { action: 'left_click', ...at })) })
    report.add({ name: '200 ASCII characters, by MCP', unit: 'ms', ours: type, ...(await beside(2, { action: 'type', text: ASCII })) })
  } finally {
    await client?.close()
  }
}
