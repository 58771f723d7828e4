import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { within } from '@deskhand/core/driver'
import type { FlatNode } from '@deskhand/core/model'
import { expect, vi } from 'vitest'
import { govern } from './desk.ts'
import { NODE, onZ, type Wine } from './wine.ts'

export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/windows/${name}`, import.meta.url))
export const lines = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])

/** A desktop on which the fixture shows a window, and an agent on it. */
export async function start(wine: Wine, title: string, words: string[], env?: Record<string, string>) {
  const { driver } = await wine.driver(env)
  const desk = await govern(driver, '', { desktop: 'sandbox', mode: 'allow_actual_input_full' })
  const log = join(wine.folder, `${title}.log`)
  wine.run([NODE, onZ(fixture('provider.mjs')), title, onZ(log), ...words], { log: join(wine.folder, `${title}.out`) })
  const look = async (): Promise<FlatNode[]> => (await driver.observe.read({}, within(60_000))).nodes
  await vi.waitFor(async () => expect((await look()).find((n) => n.name === title)?.states?.active).toBe(true), { timeout: 60_000 })
  return { driver, desk, look }
}

export const byId = (nodes: readonly FlatNode[], id: string): FlatNode | undefined => nodes.find((n) => n.platformIds?.automationId === id)
