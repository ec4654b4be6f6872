import { useState } from 'react'
import type { ConfigInfo, Limit } from '../../api/config-info.ts'
import { t } from '../../texts/t.ts'
import { ConfigForm } from './config-form.tsx'
import type { EditableConfig } from './use-config.ts'

const limits: Limit[] = ['steps', 'tokens', 'seconds']

/** How far a turn may go. */
export function LimitsForm({ config, save, saved }: Pick<EditableConfig, 'save' | 'saved'> & { config: ConfigInfo }) {
  const [typed, setTyped] = useState(() => limitTexts(config.limits))
  const numbers = limits.map((name) => (typed[name].trim() === '' ? null : Number(typed[name])))
  const isWrong = (index: number) => {
    const number = numbers[index] ?? null
    return number !== null && !(number > 0 && (limits[index] === 'seconds' || Number.isInteger(number)))
  }
  const wrong = limits.some((_, index) => isWrong(index))
  const isChanged = limits.some((name) => typed[name].trim() !== limitTexts(config.limits)[name])
  const submit = () => {
    const [steps = null, tokens = null, seconds = null] = numbers
    return save('limits', { limits: { steps, tokens, seconds } })
  }
  return (
    <ConfigForm
      id="limits"
      title={t.settings.general.limits}
      about={t.settings.general.limitsAbout}
      isReady={isChanged && !wrong}
      saved={saved}
      onSave={submit}
      noValidate
      note={wrong && <p className="settings-failure">{t.settings.general.notNumber}</p>}
    >
      <div className="settings-fields">
        {limits.map((name, index) => (
          <label key={name}>
            {t.settings.general[name]}
            <input
              type="number"
              inputMode="decimal"
              min={1}
              value={typed[name]}
              placeholder={name === 'steps' ? '100' : t.settings.general.none}
              aria-invalid={isWrong(index)}
              onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
            />
          </label>
        ))}
      </div>
    </ConfigForm>
  )
}

function limitTexts(values: ConfigInfo['limits']): Record<Limit, string> {
  const text = (number: number | null) => (number === null ? '' : String(number))
  return { steps: text(values.steps), tokens: text(values.tokens), seconds: text(values.seconds) }
}
