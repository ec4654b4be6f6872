import { t } from '../../texts/t.ts'
import { Segments } from '../../ui/segments.tsx'
import { VisibleText } from '../../ui/visible-text.tsx'
import { ServerDataStatus } from '../asked-note.tsx'
import { SettingRow } from '../setting-row.tsx'
import { BrowserForm } from './browser-form.tsx'
import { LimitsForm } from './limits-form.tsx'
import { MediaModel, SessionModel } from './model-choice.tsx'
import { SavedNote } from './saved-note.tsx'
import { SearchForm } from './search-form.tsx'
import { ToolsForm } from './tools-form.tsx'
import { useConfig } from './use-config.ts'

const titlings = ['model', 'words'] as const
const recoveries = ['continue', 'wait'] as const

/** What holds for every workspace and has no section of its own. */
export function GeneralSection() {
  const kept = useConfig()
  const { asked, save, saved } = kept
  if (asked.value === null) return <ServerDataStatus asked={asked} />
  const { config, path } = asked.value
  return (
    <>
      <p className="settings-note">
        {t.settings.general.about}{' '}
        <code>
          <VisibleText text={path} as="name" />
        </code>
      </p>
      <SessionModel config={config} save={save} saved={saved} />
      <MediaModel kind="image" config={config} save={save} saved={saved} />
      <MediaModel kind="video" config={config} save={save} saved={saved} />
      <SearchForm key={config.search?.provider ?? ''} config={config} save={save} saved={saved} />
      <BrowserForm config={config} save={save} saved={saved} />
      <ToolsForm config={config} save={save} saved={saved} />
      <LimitsForm config={config} save={save} saved={saved} />
      <SettingRow id="recovery" title={t.settings.general.recovery} about={t.settings.general.recoveryAbout}>
        <Segments
          label={t.settings.general.recovery}
          options={recoveries.map((value) => ({ value, label: t.settings.general.recoveries[value] }))}
          value={config.recovery}
          onChange={(recovery) => void save('recovery', { recovery })}
        />
        <SavedNote id="recovery" saved={saved} />
      </SettingRow>
      <SettingRow id="titles" title={t.settings.general.titles} about={t.settings.general.titlesAbout}>
        <Segments
          label={t.settings.general.titles}
          options={titlings.map((value) => ({ value, label: t.settings.general.titlings[value] }))}
          value={config.titles}
          onChange={(titles) => void save('titles', { titles })}
        />
        <SavedNote id="titles" saved={saved} />
      </SettingRow>
    </>
  )
}
