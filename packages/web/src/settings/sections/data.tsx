import { HardDrive } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 11,
  needs: 'manage',
  title: () => t.settings.sections.data,
  icon: HardDrive,
  words: () => t.settings.words.data,
  settings: () => [
    { id: 'where', title: t.settings.data.where, words: t.settings.data.whereWords },
    { id: 'backup', title: t.settings.data.backup, words: t.settings.data.backupWords },
    { id: 'doctor', title: t.settings.data.doctor, words: t.settings.data.doctorWords },
  ],
  Component: lazy(async () => ({ default: (await import('../data-section.tsx')).DataSection })),
}
