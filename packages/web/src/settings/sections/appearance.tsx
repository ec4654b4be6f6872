import { Palette } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 8,
  title: () => t.settings.sections.appearance,
  icon: Palette,
  words: () => t.settings.words.appearance,
  settings: () => [
    { id: 'theme', title: t.settings.theme, words: t.settings.themeWords },
    { id: 'contrast', title: t.settings.contrast, words: t.settings.contrastWords },
    { id: 'motion', title: t.settings.motion, words: t.settings.motionWords },
    { id: 'text', title: t.settings.textSize, words: t.settings.textSizeWords },
  ],
  Component: lazy(async () => ({ default: (await import('../appearance-section.tsx')).AppearanceSection })),
}
