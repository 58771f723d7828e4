import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe } from 'vitest'
import { fixture } from '../support/linux.ts'
import { describeRealRoutes } from '../support/real-routes.ts'

const FLAGS = ['--no-sandbox', '--force-renderer-accessibility', '--no-first-run', '--disable-gpu']

const NO_WHEEL = 'a wheel scrolls the page, and changes only a number that has the focus'

describe('Chromium', () => {
  describeRealRoutes(
    async (log, dir) => {
      const page = readFileSync(fixture('pages/routes.html'))
      const server = createServer((request, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8')
        request.on('data', (name: Buffer) => appendFileSync(log, `${name.toString()}\n`))
        request.on('end', () => response.end(request.url === '/' ? page : ''))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      return {
        command: 'chromium',
        args: [...FLAGS, `--user-data-dir=${dir}/profile`, `--app=http://127.0.0.1:${port}/`],
        end: async () => {
          server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        },
      }
    },
    {
      'Amount by ui.key PageUp from Amount': 'a field for numbers takes the arrow keys alone',
      'Level by a wheel': NO_WHEEL,
      'Colour by a wheel': NO_WHEEL,
    },
  )
})
