import { Boxes } from 'lucide-react'
import { lazy } from 'react'
import { modelName } from '../../api/models.ts'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 2,
  title: () => t.settings.sections.modelList,
  icon: Boxes,
  words: () => t.settings.words.modelList,
  settings: () => [],
  find: async (api) => {
    const { models } = await api.models()
    return models.map((model) => ({ id: `model-${model.ref}`, title: modelName(model), words: model.ref }))
  },
  Component: lazy(async () => ({ default: (await import('../model-list.tsx')).ModelList })),
}
