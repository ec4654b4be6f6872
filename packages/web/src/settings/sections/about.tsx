import { Info } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 13,
  title: () => t.settings.sections.about,
  icon: Info,
  words: () => t.settings.words.about,
  settings: () => [
    { id: 'version', title: t.settings.about.version },
    { id: 'licences', title: t.settings.about.licences, words: t.settings.about.licencesWords },
  ],
  Component: lazy(async () => ({ default: (await import('../about-section.tsx')).AboutSection })),
}
