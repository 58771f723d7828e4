import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AppDesk } from '../support/apps.ts'
import { describeDesktop } from '../support/desktop.ts'
import { SENT, sendForm } from '../support/form-page.ts'

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
    expect(await sendForm(desk)).toEqual([SENT])
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
