import { open, parseAgentReply } from 'deskhand'

/**
 * One turn of an agent that answers in PyAutoGUI: its reply is read, and each script in it runs on the desk, call by call under the policy.
 *
 * @param {string} reply
 * @param {import('deskhand').Desk} desk
 * @returns {Promise<{ next: 'look' | 'done' | 'failed', told: string[] }>}
 */
export async function aiGO(reply, desk) {
  const told = []
  for (const part of parseAgentReply(reply)) {
    switch (part.kind) {
      case 'script': {
        const { status, data, error } = await desk.call('script.run', { script: part.script })
        told.push(status === 'success' ? data.output : `${error.message} ${error.next}`)
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
    }
  }
  return { next: 'look', told }
}

if (process.argv[1] === import.meta.filename) {
  const desk = await open()
  const reply = 'I will look where the pointer is.\n```python\nimport pyautogui\nprint(pyautogui.position())\n```\n---DELIMITER---\nDONE'
  console.log(await aiGO(reply, desk))
  await desk.close()
}
