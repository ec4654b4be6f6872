import { Monitor, Moon, Sun } from 'lucide-react'
import { setTheme, useTheme } from './theme.ts'
import type { Theme } from './theme.ts'
import './theme-toggle.css'

const themes: { theme: Theme; label: string; icon: React.ReactNode }[] = [
  { theme: 'system', label: 'Like the system', icon: <Monitor aria-hidden /> },
  { theme: 'light', label: 'Light', icon: <Sun aria-hidden /> },
  { theme: 'dark', label: 'Dark', icon: <Moon aria-hidden /> },
]

export function ThemeToggle() {
  const current = useTheme()
  return (
    <div className="themes" role="radiogroup" aria-label="Appearance">
      {themes.map(({ theme, label, icon }) => (
        <label key={theme} className="theme" title={label}>
          <input
            type="radio"
            name="theme"
            className="visually-hidden"
            checked={theme === current}
            onChange={() => setTheme(theme)}
          />
          {icon}
          <span className="visually-hidden">{label}</span>
        </label>
      ))}
    </div>
  )
}
