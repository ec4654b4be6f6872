import { type ModelInfo, modelName, providerNameOf } from '../api/models.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'

/** Chooses one of these models, or none for the automatic choice. */
export function ModelSelect(props: {
  label: string
  models: readonly ModelInfo[]
  value: string | null
  onChoose: (ref: string | null) => void
}) {
  const { label, models, value, onChoose } = props
  const groups = Map.groupBy(models, providerNameOf)
  return (
    <select
      className="settings-select"
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChoose(target.value === '' ? null : target.value)}
    >
      <option value="">{t.settings.general.automatic}</option>
      {value !== null && !models.some(({ ref }) => ref === value) && (
        <option value={value}>{t.agents.unavailable(value)}</option>
      )}
      {[...groups].map(([provider, members]) => (
        <optgroup key={provider} label={provider}>
          {members.map((model) => (
            <option key={model.ref} value={model.ref}>
              {modelName(model)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}
