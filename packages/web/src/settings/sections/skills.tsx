import { BookOpen } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 4,
  needs: 'manage',
  title: () => t.settings.sections.skills,
  icon: BookOpen,
  words: () => t.settings.words.skills,
  settings: () => [
    { id: 'new', title: t.skillEditor.add, words: t.settings.words.skills },
    { id: 'import', title: t.settings.skills.import, words: t.settings.skills.importWords },
    { id: 'trust', title: t.settings.trust.title, words: t.settings.trust.words },
  ],
  find: async (api) => {
    const { skills } = await api.skills()
    return skills.map(({ name, description }) => ({ id: `skill-${name}`, title: name, words: description }))
  },
  Component: lazy(async () => ({ default: (await import('../../skills/skills-section.tsx')).SkillsSection })),
}
