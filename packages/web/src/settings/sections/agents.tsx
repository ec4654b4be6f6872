import { Bot } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 3,
  needs: 'write',
  title: () => t.settings.sections.agents,
  icon: Bot,
  words: () => t.settings.words.agents,
  settings: () => [{ id: 'new', title: t.agents.newAgent }],
  find: async (api) => {
    const { agents } = await api.agents()
    return agents.map(({ name, description }) => ({ id: `agent-${name}`, title: name, words: description }))
  },
  Component: lazy(async () => ({ default: (await import('../../agents/agents-section.tsx')).AgentsSection })),
}
