import { Languages } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 9,
  title: () => t.settings.sections.language,
  icon: Languages,
  words: () => t.settings.words.language,
  settings: () => [{ id: 'language', title: t.settings.sections.language, words: t.settings.languageWords }],
  Component: lazy(async () => ({ default: (await import('../language-section.tsx')).LanguageSection })),
}
