import { Monitor, Moon, Sun } from 'lucide-react'
import { t } from '../texts/t.ts'
import { setTheme, useTheme } from './theme.ts'
import type { Theme } from './theme.ts'
import './theme-toggle.css'

const themes: { theme: Theme; icon: React.ReactNode }[] = [
  { theme: 'system', icon: <Monitor aria-hidden /> },
  { theme: 'light', icon: <Sun aria-hidden /> },
  { theme: 'dark', icon: <Moon aria-hidden /> },
]

export function ThemeToggle() {
  const current = useTheme()
  return (
    <div className="themes" role="radiogroup" aria-label={t.ui.appearance}>
      {themes.map(({ theme, icon }) => (
        <label key={theme} className="theme" title={t.ui.themes[theme]}>
          <input
            type="radio"
            name="theme"
            className="visually-hidden"
            checked={theme === current}
            onChange={() => setTheme(theme)}
          />
          {icon}
          <span className="theme-name">{t.ui.themes[theme]}</span>
        </label>
      ))}
    </div>
  )
}
