import { useCallback } from 'react'
import type { ConfigInfo } from '../../api/config-info.ts'
import type { ModelInfo } from '../../api/model-info.ts'
import { t } from '../../texts/t.ts'
import { useApp, useWorkspace } from '../../workspace.ts'
import { SettingRow } from '../setting-row.tsx'
import { useServerData } from '../use-asked.ts'
import { SavedNote } from './saved-note.tsx'
import type { EditableConfig } from './use-config.ts'

interface PartProps extends Pick<EditableConfig, 'save' | 'saved'> {
  config: ConfigInfo
}

/** The model of sessions for which none was chosen. */
export function SessionModel({ config, save, saved }: PartProps) {
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

/** What makes pictures, or films. */
export function MediaModel({ kind, config, save, saved }: PartProps & { kind: 'image' | 'video' }) {
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

function ModelSelect(props: {
  label: string
  models: readonly ModelInfo[]
  value: string | null
  onChoose: (ref: string | null) => void
}) {
  const { label, models, value, onChoose } = props
  const groups = Map.groupBy(models, ({ providerName }) => providerName)
  return (
    <select
      className="settings-select"
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChoose(target.value === '' ? null : target.value)}
    >
      <option value="">{t.settings.general.automatic}</option>
      {value !== null && !models.some(({ ref }) => ref === value) && (
        <option value={value}>{t.agents.notThere(value)}</option>
      )}
      {[...groups].map(([provider, members]) => (
        <optgroup key={provider} label={provider}>
          {members.map(({ ref, name }) => (
            <option key={ref} value={ref}>
              {name}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}
