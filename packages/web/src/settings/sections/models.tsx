import { KeyRound } from 'lucide-react'
import { lazy } from 'react'
import { sortProviders } from '../../api/providers.ts'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 1,
  needs: 'manage',
  title: () => t.settings.sections.models,
  icon: KeyRound,
  words: () => t.settings.words.models,
  settings: () => [{ id: 'new', title: t.models.another, words: t.models.anotherWords }],
  find: async (api) => {
    const { providers } = await api.providers()
    return sortProviders(providers).map(({ id, name }) => ({ id: `provider-${id}`, title: name, words: t.models.key }))
  },
  Component: lazy(async () => ({ default: (await import('../../models/models-section.tsx')).ModelsSection })),
}
