import { Webhook } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 7,
  needs: 'manage',
  title: () => t.settings.sections.hooks,
  icon: Webhook,
  words: () => t.settings.words.hooks,
  settings: () => [
    { id: 'new', title: t.hookEditor.add, words: t.settings.words.hooks },
    { id: 'trust', title: t.settings.trust.title, words: t.settings.trust.words },
  ],
  find: async (api) => {
    const { hooks } = await api.hooks()
    return hooks.map(({ event, source, command }, index) => ({
      id: `hook-${index}`,
      title: command ?? source,
      words: t.settings.hooks.events[event],
    }))
  },
  Component: lazy(async () => ({ default: (await import('../hooks-section.tsx')).HooksSection })),
}
