import { ShieldCheck } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 6,
  needs: 'write',
  title: () => t.settings.sections.rules,
  icon: ShieldCheck,
  words: () => t.settings.words.rules,
  settings: () => [
    { id: 'new', title: t.rules.tryAndAdd, words: t.rules.newRuleWords },
    { id: 'explain', title: t.explain.title, words: t.explain.words },
    { id: 'sandbox', title: t.rules.sandbox, words: t.rules.sandboxWords },
    { id: 'list', title: t.rules.list },
  ],
  find: async (api) => {
    const { rules } = await api.rules()
    return rules.map(({ id, text, effect }) => ({ id: `rule-${id}`, title: text, words: t.rules.effects[effect] }))
  },
  Component: lazy(async () => ({ default: (await import('../../rules/rules-section.tsx')).RulesSection })),
}
