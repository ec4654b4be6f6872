import { useState } from 'react'
import type { ConfigInfo, Limit } from '../../api/config-info.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { SavedNote } from './saved-note.tsx'
import type { KeptConfig } from './use-config.ts'

const limits: Limit[] = ['steps', 'tokens', 'seconds']

/** How far a turn may go. */
export function LimitsForm({ config, save, saved }: Pick<KeptConfig, 'save' | 'saved'> & { config: ConfigInfo }) {
  const [typed, setTyped] = useState(() => textsOf(config.limits))
  const numbers = limits.map((name) => (typed[name].trim() === '' ? null : Number(typed[name])))
  const isWrong = (index: number) => {
    const number = numbers[index] ?? null
    return number !== null && !(number > 0 && (limits[index] === 'seconds' || Number.isInteger(number)))
  }
  const wrong = limits.some((_, index) => isWrong(index))
  const isChanged = limits.some((name) => typed[name].trim() !== textsOf(config.limits)[name])
  const submit = () => {
    const [steps = null, tokens = null, seconds = null] = numbers
    return save('limits', { limits: { steps, tokens, seconds } })
  }
  return (
    <form
      className="settings-group"
      data-setting="limits"
      aria-label={t.settings.general.limits}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged && !wrong) void submit()
      }}
    >
      <h3>{t.settings.general.limits}</h3>
      <p className="settings-note">{t.settings.general.limitsAbout}</p>
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
      <div className="settings-row-buttons">
        <Button type="submit" disabled={!isChanged || wrong}>
          {t.ui.save}
        </Button>
      </div>
      {wrong && <p className="settings-failure">{t.settings.general.notNumber}</p>}
      <SavedNote id="limits" saved={saved} />
    </form>
  )
}

function textsOf(values: ConfigInfo['limits']): Record<Limit, string> {
  const text = (number: number | null) => (number === null ? '' : String(number))
  return { steps: text(values.steps), tokens: text(values.tokens), seconds: text(values.seconds) }
}
