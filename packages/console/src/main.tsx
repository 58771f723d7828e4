import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/desktop.css'
import './styles/card.css'
import './styles/views.css'
import './styles/timeline.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyTheme } from './state/theme.ts'

applyTheme()
const place = document.getElementById('console')
if (place !== null) createRoot(place).render(<App />)
