import { ChartColumn } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 2.5,
  title: () => t.settings.sections.usage,
  icon: ChartColumn,
  words: () => t.settings.words.usage,
  settings: () => [
    { id: 'budget', title: t.usage.budget, words: t.usage.budgetWords },
    { id: 'usage', title: t.usage.table, words: t.settings.words.usage },
  ],
  Component: lazy(async () => ({ default: (await import('../../usage/usage-section.tsx')).UsageSection })),
}
