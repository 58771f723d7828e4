import { chromium, type Browser, type Page } from 'playwright-core'
import { starting } from './starting.ts'

/** Debian's Chromium, without a connection to anywhere but this machine. */
export function launchBrowser(): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic', '--no-first-run']
  return starting(chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', ...quiet] }))
}

/** A page that keeps what it complained of. */
export async function openPage(
  browser: Browser,
  options: { width?: number; height?: number; dark?: boolean } = {},
): Promise<Page & { complaints: string[] }> {
  const { width = 1440, height = 900, dark = false } = options
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' })
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => message.type() === 'error' && complaints.push(`${message.text()} ${message.location().url}`.trim()))
  return Object.assign(page, { complaints })
}
