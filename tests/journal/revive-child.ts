import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openJournal } from '@deskhand/core/journal'
import { DeskhandError } from '@deskhand/core/errors'
import { decided } from './kit.ts'

/** Writes until the disk is full, makes room, and goes on with the same journal; tells how it went in one line. */
const [dir = '', keyDir = '', desktop = ''] = process.argv.slice(2)
const ballast = join(dir, '..', 'ballast')
writeFileSync(ballast, Buffer.alloc(100_000))
const journal = await openJournal({ dir, keyDir, desktop, durability: 'real' })
const followed: number[] = []
const ended = new AbortController()
const following = (async () => {
  for await (const entry of journal.follow(0, ended.signal)) followed.push(entry.seq)
})()

let before = 0
let failed: string | undefined
while (failed === undefined) {
  try {
    await journal.append(decided(`op-${before}`), { durable: true })
    before++
  } catch (thrown) {
    failed = DeskhandError.from(thrown).code
  }
}
rmSync(ballast)
const after: number[] = []
for (let tries = 0; after.length < 3 && tries < 100; tries++) {
  try {
    after.push(await journal.append(decided(`later-${after.length}`), { durable: true }))
  } catch {
    await sleep(200)
  }
}
for (let tries = 0; followed.at(-1) !== after.at(-1) && tries < 100; tries++) await sleep(50)
ended.abort()
await following
await journal.close()
process.stdout.write(JSON.stringify({ before, failed, after, followed }))
