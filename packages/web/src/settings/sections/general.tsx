import { SlidersHorizontal } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../../texts/t.ts'
import type { SettingsSection } from '../section.ts'

export const section: SettingsSection = {
  order: 0,
  needs: 'manage',
  title: () => t.settings.sections.general,
  icon: SlidersHorizontal,
  words: () => t.settings.words.general,
  settings: () => [
    { id: 'model', title: t.settings.general.model, words: t.settings.general.modelWords },
    { id: 'mode', title: t.settings.general.mode, words: t.settings.general.modeWords },
    { id: 'image', title: t.settings.general.image, words: t.settings.general.imageWords },
    { id: 'video', title: t.settings.general.video, words: t.settings.general.videoWords },
    { id: 'search', title: t.settings.general.search, words: t.settings.general.searchWords },
    { id: 'browser', title: t.settings.general.browser, words: t.settings.general.browserWords },
    { id: 'tools', title: t.settings.general.tools, words: t.settings.general.toolsWords },
    { id: 'limits', title: t.settings.general.limits, words: t.settings.general.limitsWords },
    { id: 'recovery', title: t.settings.general.recovery, words: t.settings.general.recoveryWords },
    { id: 'describe', title: t.settings.general.describe, words: t.settings.general.describeWords },
    { id: 'titles', title: t.settings.general.titles, words: t.settings.general.titlesWords },
  ],
  Component: lazy(async () => ({ default: (await import('../general-section.tsx')).GeneralSection })),
}
