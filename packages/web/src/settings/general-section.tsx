import type { Mode } from '@troupe/core'
import { useCallback } from 'react'
import type { ConfigInfo } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { availableModes } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { type EditableConfig, SavedNote, useConfig } from './config-form.tsx'
import { BrowserForm, LimitsForm, SearchForm, ToolsForm } from './general-forms.tsx'
import { ModelSelect } from './model-select.tsx'
import { ServerDataStatus, SettingRow, useServerData } from './section-parts.tsx'

const titlings = ['model', 'words'] as const
const describings = ['ask', 'always', 'never'] as const
const recoveries = ['continue', 'wait'] as const

/** Settings for all workspaces that have no section of their own. */
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
      <DefaultMode config={config} save={save} saved={saved} />
      <MediaModel kind="image" config={config} save={save} saved={saved} />
      <MediaModel kind="video" config={config} save={save} saved={saved} />
      <ImageDescriptions config={config} save={save} saved={saved} />
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

interface PartProps extends Pick<EditableConfig, 'save' | 'saved'> {
  config: ConfigInfo
}

function SessionModel({ config, save, saved }: PartProps) {
  const models = useApp((state) => state.models)
  const { model, environmentModel } = config
  const about =
    environmentModel === null ? t.settings.general.modelAbout : t.settings.general.modelFixed(environmentModel)
  return (
    <SettingRow id="model" title={t.settings.general.model} about={about}>
      <ModelSelect
        label={t.settings.general.model}
        models={models}
        value={model}
        onChoose={(chosen) => void save('model', { model: chosen })}
      />
      <SavedNote id="model" saved={saved} />
    </SettingRow>
  )
}

/** A folder or the machine can set another mode, which overrides this one. */
function DefaultMode({ config, save, saved }: PartProps) {
  const { app } = useWorkspace()
  const permissions = useApp((state) => state.permissions)
  const isOverridden = permissions !== null && permissions.mode !== (config.mode ?? 'default')
  const choose = async (mode: Mode) => {
    if (await save('mode', { mode })) await app.refreshPermissions()
  }
  return (
    <SettingRow
      id="mode"
      title={t.settings.general.mode}
      about={
        isOverridden
          ? t.settings.general.modeOverridden(t.modes.each[permissions.mode].name)
          : t.modes.each[config.mode ?? 'default'].about(permissions?.sandbox.available === true)
      }
    >
      <select
        className="settings-select"
        aria-label={t.settings.general.mode}
        value={config.mode ?? 'default'}
        onChange={({ target }) => void choose(target.value as Mode)}
      >
        {availableModes({ bypass: permissions?.bypass === true }).map((mode) => (
          <option key={mode} value={mode}>
            {t.modes.each[mode].name}
          </option>
        ))}
      </select>
      <SavedNote id="mode" saved={saved} />
    </SettingRow>
  )
}

/** Selects the model that describes images for models without vision, and whether it asks first. */
function ImageDescriptions({ config, save, saved }: PartProps) {
  const models = useApp((state) => state.models)
  const { describe, describeAbout, describeModel, describings: names } = t.settings.general
  return (
    <SettingRow id="describe" title={describe} about={describeAbout}>
      <Segments
        label={describe}
        options={describings.map((value) => ({ value, label: names[value] }))}
        value={config.describeImages}
        onChange={(describeImages) => void save('describe', { describeImages })}
      />
      {config.describeImages !== 'never' && (
        <ModelSelect
          label={describeModel}
          models={models.filter(({ tags }) => tags.includes('vision'))}
          value={config.media.vision}
          onChoose={(vision) => void save('describe', { media: { vision } })}
        />
      )}
      <SavedNote id="describe" saved={saved} />
    </SettingRow>
  )
}

function MediaModel({ kind, config, save, saved }: PartProps & { kind: 'image' | 'video' }) {
  const { api } = useWorkspace()
  const { value, failure } = useServerData(useCallback(() => api.mediaModels(kind), [api, kind]))
  return (
    <SettingRow id={kind} title={t.settings.general[kind]} {...(failure !== null && { about: failure })}>
      <ModelSelect
        label={t.settings.general[kind]}
        models={value?.models ?? []}
        value={config.media[kind]}
        onChoose={(chosen) => void save(kind, { media: { [kind]: chosen } })}
      />
      <SavedNote id={kind} saved={saved} />
    </SettingRow>
  )
}
