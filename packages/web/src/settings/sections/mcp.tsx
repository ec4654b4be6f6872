import { Plug } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 5,
  needs: 'manage',
  title: () => t.settings.sections.mcp,
  icon: Plug,
  words: () => t.settings.words.mcp,
  settings: () => [{ id: 'new', title: t.mcp.add, words: t.mcp.addWords }],
  find: async (api) => {
    const { servers } = await api.mcp()
    return servers.map(({ name }) => ({ id: `server-${name}`, title: name }))
  },
  Component: lazy(async () => ({ default: (await import('../../mcp/mcp-section.tsx')).McpSection })),
}
