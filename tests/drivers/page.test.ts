import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CAPS } from '@deskhand/core/driver'
import { CONTRACT_WINDOW } from '@deskhand/core/driver/contract'
import { Completeness } from '@deskhand/core/model'
import { describe, expect, test } from 'vitest'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/drivers.md'), 'utf8')

describe('the page for authors of drivers names', () => {
  test.each(Object.values(CONTRACT_WINDOW).flat())('the element "%s" that the suite looks for', (name) => {
    expect(page).toMatch(new RegExp(`\`${name.trim()}(?: 0)?\``))
  })

  test.each(CAPS)('the capability %s', (cap) => {
    expect(page).toContain(`\`${cap.replace('step:', '')}\``)
  })

  test.each(Completeness.shape.reasons.element.shape.kind.options)('the reason %s for an incomplete tree', (kind) => {
    expect(page).toContain(`\`${kind}\``)
  })
})
