import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AppDesk } from '../support/apps.ts'
import { describeDesktop } from '../support/desktop.ts'

describeDesktop('an agent on applications that are not ours', { timeout: 240_000 }, () => {
  let desk: AppDesk
  beforeAll(async () => {
    desk = await AppDesk.open()
  }, 60_000)
  afterEach(() => desk.clear(), 60_000)
  afterAll(() => desk.close(), 60_000)

  test('calculates in gnome-calculator, by keyboard and by its buttons', async () => {
    await desk.launch('gnome-calculator')
    await desk.type('(12.5+29.5)*3', { target: 'role=textbox && editable=true' })
    await desk.key('Enter')
    await desk.wait({ uiState: { target: 'role=textbox && editable=true', value: '126' } })
    for (const button of ['×', '2', '=']) await desk.click(`role=button && name^="${button}"`)
    await desk.wait({ uiState: { target: 'role=textbox && editable=true', value: '252' } })
    await desk.key('ctrl+c')
    await expect.poll(() => desk.clipboard()).toBe('252')
    await desk.use('desktop.close', { app: 'gnome-calculator' })
  })

  test('calculates in kcalc, by its buttons', async () => {
    await desk.launch('kcalc')
    for (const button of ['6', '×', '7', '=']) await desk.click(`role=button && name="${button}"`)
    await desk.wait({ text: '42' })
    expect((await desk.seen()).some((n) => n.name === '42')).toBe(true)
    await desk.key('ctrl+c')
    await expect.poll(() => desk.clipboard()).toBe('42')
    await desk.use('desktop.close', { app: 'kcalc' })
  })

  test('makes a table with a formula in LibreOffice Calc and saves it, and it can be read again', async () => {
    const file = join(desk.world.dir, 'prices.ods')
    await desk.launch('localc', '--norestore', '--nologo', '--nofirststartwizard')
    await desk.shows('role=cell && name="A1"')
    await desk.click('role=cell && name="A1"')
    await desk.type('Ware\tPreis\n')
    await desk.type('Grüße\n', { target: 'role=cell && name="A2"' })
    await desk.type('12.5\n', { target: 'role=cell && name="B2"' })
    await desk.type('30\n', { target: 'role=cell && name="B3"' })
    await desk.type('=SUM(B2:B3)\n', { target: 'role=cell && name="B4"' })
    await desk.wait({ uiState: { target: 'role=cell && name="B4"', value: '42.5' } })
    await desk.key('ctrl+s')
    const name = 'role=dialog && name="Save" >> role=textbox && name="Name:"'
    await desk.shows(name)
    await desk.type(file, { target: name, mode: 'replace' })
    await desk.click('role=dialog && name="Save" >> role=button && name="Save"')
    await desk.wait({ window: { titleContains: 'prices.ods', present: true } })

    const content = execFileSync('unzip', ['-p', file, 'content.xml'], { encoding: 'utf8' })
    expect(content).toContain('of:=SUM([.B2:.B3])')
    await desk.use('desktop.close', { app: 'soffice', timeoutMs: 20_000 })
    const utf8 = 'csv:Text - txt - csv (StarCalc):44,34,76'
    execFileSync('soffice', ['--headless', '--convert-to', utf8, '--outdir', desk.world.dir, file], {
      env: desk.sandbox.env,
      timeout: 60_000,
    })
    expect(readFileSync(join(desk.world.dir, 'prices.csv'), 'utf8')).toBe('Ware,Preis\nGrüße,12.5\n,30\n,42.5\n')
  })

  test('fills in a form in Chromium and posts it, the button at its far end included', async () => {
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
      await desk.launch('chromium', '--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu', url)
      await desk.shows('role=textbox && name="Name"')
      expect(await desk.type('Grüße 漢 😀', { target: 'role=textbox && name="Name"' })).toMatchObject({ effect: 'confirmed' })
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
    expect(posted.map((body) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
      {
        name: 'Grüße 漢 😀',
        password: 's3cret',
        country: 'Nepal',
        city: 'Lima',
        street: 'Street 41',
        agree: 'on',
        size: 'l',
        notes: 'one\r\ntwo',
      },
    ])
  })

  test('answers zenity dialogs, which tell what they heard', async () => {
    const form = desk.start('zenity', '--forms', '--title=Form', '--add-entry=First', '--add-password=Pin', '--separator=|')
    await desk.shows(FIRST)
    await desk.type('Zoë 漢', { target: FIRST, mode: 'replace' })
    await desk.type('1234', { target: PIN, mode: 'replace' })
    await desk.click('window="Form" >> role=button && name="OK"')
    expect(await form.ended).toEqual({ code: 0, out: 'Zoë 漢|1234\n' })

    const question = desk.start('zenity', '--question', '--title=Sure', '--text=Delete everything?')
    await desk.shows('window="Sure" >> role=button && name="No"')
    await desk.click('window="Sure" >> role=button && name="No"')
    expect(await question.ended).toEqual({ code: 1, out: '' })

    const list = desk.start('zenity', '--list', '--title=Choose', '--column=Colour', '--hide-header', 'red', 'green', 'blue')
    await desk.click('window="Choose" >> role=cell && name="green"')
    await desk.click('window="Choose" >> role=button && name="OK"')
    expect(await list.ended).toEqual({ code: 0, out: 'green\n' })

    const scale = desk.start('zenity', '--scale', '--title=Volume', '--value=20', '--step=1')
    await desk.shows('window="Volume" >> role=slider')
    await desk.use('ui.focus', { target: 'window="Volume" >> role=slider' })
    await desk.key('ArrowRight', 'ArrowRight', 'ArrowRight')
    await desk.click('window="Volume" >> role=button && name="OK"')
    expect(await scale.ended).toEqual({ code: 0, out: '23\n' })
  })
})

const FIRST = 'text="First" >> right-of >> role=textbox'
const PIN = 'text="Pin" >> right-of >> role=textbox'

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
