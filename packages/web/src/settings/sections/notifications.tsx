import { Bell } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 10,
  title: () => t.settings.sections.notifications,
  icon: Bell,
  words: () => t.settings.words.notifications,
  settings: () => [{ id: 'notify', title: t.settings.notify }],
  Component: lazy(async () => ({ default: (await import('../notifications-section.tsx')).NotificationsSection })),
}
