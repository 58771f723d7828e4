import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { within } from '@deskhand/core/driver'
import { CONTRACT_WINDOW, describeDriver, type Opened } from '@deskhand/core/driver/contract'
import { test } from 'vitest'
import { describePrograms } from '../support/program-contract.ts'
import { Seen } from '../support/seen.ts'
import { describeWine, double, NODE, onZ, openWine } from '../support/wine.ts'

const seen = new Seen('menus')
const fixture = (name: string): string => onZ(fileURLToPath(new URL(`../fixtures/windows/${name}`, import.meta.url)))

async function open(): Promise<Opened> {
  const wine = await openWine()
  try {
    const { driver } = await wine.driver({ NODE_OPTIONS: double('menus.mjs') })
    wine.run([NODE, fixture('contract.mjs'), '0', onZ(join(wine.folder, 'fixture.log'))], { log: join(wine.folder, 'fixture.out') })
    for (let found = false; !found;) {
      const { nodes } = await driver.observe.read({}, within(20_000))
      found = nodes.some((n) => n.name === CONTRACT_WINDOW.window && n.states?.active === true)
    }
    return {
      driver,
      fixture: CONTRACT_WINDOW,
      close: async () => {
        await driver.close()
        await wine.down()
      },
    }
  } catch (error) {
    await wine.down()
    throw error
  }
}

describeWine('Windows, on Wine', () => {
  describeDriver('the Windows driver on classic controls', open, { gaps: ['humanInput'] })

  test('docs/windows.md says of menus what was seen here', () => {
    seen.on('a double', 'the driver contract over classic controls, menus of windows included')
    seen.mustBeTold()
  })
})

describePrograms('contract', ['notepad', 'regedit', 'winemine', 'every classic control'])
