import { useEffect, useState } from 'react'
import { noticeError } from '../state/notices.tsx'
import { chooseLanguage, languageNames, languages, useLanguage } from '../texts/language.ts'
import { t } from '../texts/t.ts'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { SettingRow } from './section-parts.tsx'

export function LanguageSection() {
  const { app } = useWorkspace()
  const shown = useLanguage()
  const [names, setNames] = useState<Record<string, string>>({ [shown]: t.language })
  useEffect(() => void languageNames().then(setNames, noticeError), [])
  return (
    <SettingRow id="language" title={t.settings.sections.language} about={t.settings.languageAbout}>
      <Segments
        label={t.settings.sections.language}
        options={languages.map((tag) => ({ value: tag, label: names[tag] ?? tag }))}
        value={shown}
        onChange={(tag) => {
          // The whole page remounts, so return the focus here.
          app.openSettings('language/language')
          void chooseLanguage(tag).catch(noticeError)
        }}
      />
    </SettingRow>
  )
}
