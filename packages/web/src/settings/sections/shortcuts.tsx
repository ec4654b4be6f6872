import { Keyboard } from 'lucide-react'
import { lazy } from 'react'
import { keyNames } from '../../platform/keyboard.ts'
import { shortcuts } from '../../shortcuts/shortcuts.ts'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 12,
  title: () => t.settings.sections.shortcuts,
  icon: Keyboard,
  words: () => t.settings.words.shortcuts,
  settings: () => [
    { id: 'signs', title: t.settings.signs, words: t.settings.signsWords },
    ...shortcuts.map(({ id, title, keys }) => ({
      id: `shortcut-${id}`,
      title: title(),
      words: keyNames(keys).join(' '),
    })),
  ],
  Component: lazy(async () => ({ default: (await import('../shortcuts-section.tsx')).ShortcutsSection })),
}
