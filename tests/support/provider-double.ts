import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/* oxlint-disable typescript/no-explicit-any */
export interface ProviderDouble {
  url: string
  /** The bodies of the requests so far. */
  requests: any[]
  close(): Promise<void>
}

/** Answers request after request with the next of these, as a provider would; past the last one every request is refused. */
export async function providerDouble(answers: readonly unknown[]): Promise<ProviderDouble> {
  const requests: any[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push(JSON.parse(Buffer.concat(chunks).toString()))
      const answer = answers[requests.length - 1]
      response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { error: { message: 'nothing more was recorded' } }))
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => new Promise((done) => server.close(() => done())),
  }
}
