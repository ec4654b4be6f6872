import { Share2 } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 10.5,
  needs: 'manage',
  title: () => t.settings.sections.sharing,
  icon: Share2,
  words: () => t.settings.words.sharing,
  settings: () => [{ id: 'publish', title: t.share.where }],
  Component: lazy(async () => ({ default: (await import('../sharing-section.tsx')).SharingSection })),
}
