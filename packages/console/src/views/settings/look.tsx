import { useState } from 'react'
import { useConsole } from '../../parts/context.ts'
import { applyTheme, themeChoice, type ThemeChoice } from '../../state/theme.ts'
import { TEXT } from '../../text.ts'

/** Light or dark, and who is signed in. */
export function Look() {
  const { api } = useConsole()
  const [choice, setChoice] = useState(themeChoice)
  const choose = (theme: ThemeChoice): void => {
    applyTheme(theme)
    setChoice(theme)
  }
  return (
    <section className="panel padded rows">
      <h2>{TEXT.settings.theme}</h2>
      <select className="select" aria-label={TEXT.settings.theme} value={choice} onChange={(e) => choose(e.target.value as ThemeChoice)}>
        {(['system', 'light', 'dark'] as const).map((theme) => (
          <option key={theme} value={theme}>
            {TEXT.settings.themes[theme]}
          </option>
        ))}
      </select>
      <small>
        {TEXT.settings.you}: {api.session.who.id} ({api.session.who.role}), Deskhand {api.session.version}
      </small>
    </section>
  )
}
