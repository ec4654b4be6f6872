import { ScrollText } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 0.5,
  needs: 'manage',
  title: () => t.settings.sections.instructions,
  icon: ScrollText,
  words: () => t.settings.words.instructions,
  settings: () => [
    { id: 'person', title: t.instructions.person, words: t.instructions.personWords },
    { id: 'folder', title: t.instructions.folder, words: t.instructions.folderWords },
    { id: 'master', title: t.instructions.master, words: t.instructions.masterWords },
  ],
  Component: lazy(async () => ({
    default: (await import('../../instructions/instructions-section.tsx')).InstructionsSection,
  })),
}
