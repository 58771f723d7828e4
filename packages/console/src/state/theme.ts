/** Light, dark, or what the system says. */
export type ThemeChoice = 'system' | 'light' | 'dark'

const KEY = 'deskhand.theme'
const isDark = matchMedia('(prefers-color-scheme: dark)')

export function themeChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function applyTheme(choice: ThemeChoice = themeChoice()): void {
  localStorage.setItem(KEY, choice)
  const dark = choice === 'dark' || (choice === 'system' && isDark.matches)
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
}

isDark.addEventListener('change', () => applyTheme())
