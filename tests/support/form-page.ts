import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import type { AppDesk } from './apps.ts'

export const CHROMIUM = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu']

/** What the server is to get. */
export const SENT = {
  name: 'Grüße 漢 😀',
  password: 's3cret',
  country: 'Nepal',
  city: 'Lima',
  street: 'Street 41',
  agree: 'on',
  size: 'l',
  notes: 'one\r\ntwo',
}

/** Fills in a form in Chromium and posts it; what its server got. */
export async function sendForm(desk: AppDesk, name: string = SENT.name): Promise<Record<string, string>[]> {
  const posted: string[] = []
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    let body = ''
    request.setEncoding('utf8').on('data', (s: string) => (body += s))
    request.on('end', () => {
      if (request.method === 'POST') posted.push(body)
      response.end(request.method === 'POST' ? '<title>Done</title><h1>Thank you</h1>' : FORM)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await desk.launch('chromium', ...CHROMIUM, url)
    await desk.shows('role=textbox && name="Name"')
    expect(await desk.type(name, { target: 'role=textbox && name="Name"' })).toMatchObject({ effect: 'confirmed' })
    await desk.type('s3cret', { target: 'role=textbox && name="Password"' })
    await desk.toggle('role=checkbox && name="I agree"')
    await desk.toggle('role=radio && name="Large"')
    await desk.click('role=combobox && name="Country"')
    await desk.shows('role=menuitem && name="Peru"')
    await desk.click('role=menuitem && name="Nepal"')
    await desk.use('ui.focus', { target: 'role=combobox && name="City"' })
    await desk.key('ArrowDown')
    await desk.click('role=combobox && name="Street"')
    await desk.click('role=menuitem && name="Street 41"')
    expect(await desk.type('one\ntwo', { target: 'role=textbox && name="Notes"' })).toMatchObject({ effect: 'confirmed' })
    const { text } = (await desk.client.callTool({ name: 'ui.snapshot', arguments: {} })).content[0] as { text: string }
    expect(text).not.toContain('s3cret')
    await desk.click('role=button && name="Send"', { verify: { text: 'Thank you' } })
    await desk.use('desktop.close', { app: 'Chromium', timeoutMs: 20_000 })
  } finally {
    server.close()
    server.closeAllConnections()
  }
  return posted.map((body) => Object.fromEntries(new URLSearchParams(body)))
}

const FORM = `<!doctype html><meta charset=utf-8><title>Form</title><form method=post>
<p><label>Name <input name=name></label>
<p><label>Password <input type=password name=password></label>
<p><label>Country <select name=country><option>Austria<option>Peru<option>Nepal</select></label>
<p><label>City <select name=city><option>Wien<option>Lima</select></label>
<p><label>Street <select name=street>${Array.from({ length: 60 }, (_, i) => `<option>Street ${i}`).join('')}</select></label>
<p><label><input type=checkbox name=agree> I agree</label>
<p><label><input type=radio name=size value=s> Small</label> <label><input type=radio name=size value=l> Large</label>
<p><label>Notes <textarea name=notes></textarea></label>
<div style="height: 1500px"></div>
<button>Send</button></form>`
