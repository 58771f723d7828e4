import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { within } from '@deskhand/core/driver'
import { CONTRACT_WINDOW, describeDriver, type Opened } from '@deskhand/core/driver/contract'
import { describePrograms, MENUS } from '../support/program-contract.ts'
import { describeWine, NODE, onZ, openWine } from '../support/wine.ts'

const fixture = (name: string): string => onZ(fileURLToPath(new URL(`../fixtures/windows/${name}`, import.meta.url)))

async function open(): Promise<Opened> {
  const wine = await openWine()
  try {
    const { driver } = await wine.driver()
    wine.run([NODE, fixture('contract.mjs'), '0', onZ(join(wine.folder, 'fixture.log'))], { log: join(wine.folder, 'fixture.out') })
    for (let found = false; !found;) {
      const { nodes } = await driver.observe.read({}, within(20_000))
      found = nodes.some((n) => n.name === CONTRACT_WINDOW.window && n.states?.active === true)
    }
    return {
      driver,
      fixture: { ...CONTRACT_WINDOW, opener: 'About...' },
      unread: MENUS,
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
})

describePrograms('contract', ['notepad', 'regedit', 'winemine'])
