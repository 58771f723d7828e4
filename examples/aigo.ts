import { open, parseAgentReply, type Desk } from 'deskhand'

/** One turn of an agent that answers in PyAutoGUI: its reply is read, and each script in it runs on the desk, call by call under the policy. */
export async function aiGO(reply: string, desk: Desk): Promise<{ next: 'look' | 'done' | 'failed'; told: string[] }> {
  const told: string[] = []
  for (const part of parseAgentReply(reply)) {
    switch (part.kind) {
      case 'script': {
        const { status, data, error } = await desk.call('script.run', { script: part.script })
        told.push(status === 'success' ? outputOf(data) : `${error?.message} ${error?.next}`)
        // What failed is told to the model; the scripts after it were written for a screen that never came.
        if (status === 'error') return { next: 'look', told }
        break
      }
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        break
      case 'done':
        return { next: 'done', told }
      case 'fail':
        return { next: 'failed', told }
      case 'text':
        break
      default:
        part satisfies never
    }
  }
  return { next: 'look', told }
}

const outputOf = (data: unknown): string =>
  typeof data === 'object' && data !== null && 'output' in data && typeof data.output === 'string' ? data.output : ''

if (process.argv[1] === import.meta.filename) {
  const desk = await open()
  const reply = 'I will look where the pointer is.\n```python\nimport pyautogui\nprint(pyautogui.position())\n```\n---DELIMITER---\nDONE'
  console.log(await aiGO(reply, desk))
  await desk.close()
}
