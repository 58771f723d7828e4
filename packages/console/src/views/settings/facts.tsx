import { TEXT } from '../../text.ts'

/** What is said of a part of the configuration, in the words of the console. */
export function Facts({ part, said }: { part: string; said: unknown }) {
  return (
    <dl className="facts">
      {factsOf(part, said).map(([name, value]) => (
        <Fact key={name} name={TEXT.settings.names[`${part}.${name}`] ?? name} value={value} />
      ))}
    </dl>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

/** What the configuration says of a part, and what holds where it says nothing. */
function factsOf(part: string, said: unknown): [name: string, value: string][] {
  const usual = Object.entries(TEXT.settings.usual)
    .filter(([name]) => name.startsWith(`${part}.`))
    .map(([name, words]) => [name.slice(part.length + 1), words])
  const told = typeof said === 'object' && said !== null ? Object.entries(said).map(([name, value]) => [name, wordsOf(value)]) : []
  return Object.entries({ ...Object.fromEntries(usual), ...Object.fromEntries(told) } as Record<string, string>)
}

function wordsOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? TEXT.settings.yes : TEXT.settings.no
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  return JSON.stringify(value)
}
