import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '@deskhand/core/model'
import { OPERATOR } from '../support/desk.ts'
import { describeDesktop } from '../support/desktop.ts'
import { realDesk, type RealDesk } from '../support/governed.ts'
import { fixture, PYTHON } from '../support/linux.ts'

const ASKS =
  '[[rule]]\ntoolName = "ui.click"\ndecision = "ask_user"\npriority = 500\nwhen = { name = "Continue", risk = ["low", "medium", "high"] }\n'
const LINK = { target: '(role=link || role=button) && name="Continue"' }
const leadsTo = (value: RegExp): unknown => expect.arrayContaining([{ label: 'leads to', value: expect.stringMatching(value) }])

describeDesktop('a question about a link', () => {
  let d: RealDesk
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dh-link-'))
    d = await realDesk({ policy: ASKS, ports: { approver: { expiryMs: 60_000 } } })
  })
  afterAll(async () => {
    await d?.close()
    await rm(dir, { recursive: true, force: true })
  })
  const shown = async (command: string, args: string[]): Promise<void> => {
    await d.show('Links', command, args)
    const until = { uiState: { target: LINK.target, visible: true } }
    expect(await d.call('ui.wait', { until, timeoutMs: 30_000 })).toMatchObject({ status: 'success' })
  }
  const question = async (): Promise<Approval> => {
    for (;;) {
      const [first] = await d.session.invoke('approvals.list', {}, OPERATOR)
      if (first !== undefined) return first
      await sleep(10)
    }
  }
  const allow = ({ id }: Approval): Promise<unknown> => d.session.invoke('approvals.answer', { id, allow: true }, OPERATOR).catch(() => {})

  test('says where it leads, and is void when that is elsewhere by the time of the answer', async () => {
    const [log, to] = [join(dir, 'log'), join(dir, 'to')]
    await writeFile(to, 'https://good.example/')
    await shown(PYTHON, [fixture('link_gtk3.py'), log, to])
    const followed = (): Promise<string> => readFile(log, 'utf8')
    const coming = d.call('ui.click', LINK)
    const asked = await question()
    expect(asked.around).toEqual(leadsTo(/good\.example/))
    await writeFile(to, 'https://bad.example/')
    await sleep(500)
    await allow(asked)
    expect(await coming).toMatchObject({ sent: 'none', error: { code: 'TARGET_CHANGED' } })
    expect(await followed()).toBe('')

    const again = d.call('ui.click', LINK)
    const second = await question()
    expect(second.around).toEqual(leadsTo(/bad\.example/))
    await allow(second)
    expect((await again).error).toBeUndefined()
    await expect.poll(followed, { timeout: 10_000 }).toBe('https://bad.example/\n')
    await d.call('desktop.close', { app: 'link_gtk3.py', force: true })
  })

  test('says where a link of a page leads', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<title>Links</title><a href="/good">Continue</a>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const flags = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', `--user-data-dir=${dir}/profile`]
    await shown('chromium', [...flags, `--app=http://127.0.0.1:${port}/`])
    const coming = d.call('ui.click', { target: `role=document >> ${LINK.target}` })
    const asked = await question()
    expect(asked.around).toEqual(leadsTo(new RegExp(`:${port}/good$`)))
    await d.session.invoke('approvals.answer', { id: asked.id, allow: false }, OPERATOR)
    await coming
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
