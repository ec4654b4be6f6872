import type { HookInfo } from '@troupe/protocol'
import { useState } from 'react'
import { textIn } from '../api/read-fields.ts'
import { toErrorInfo } from '../api/request.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'

const events = ['before-call', 'after-call', 'ask', 'run-end'] as const
const scopes = ['home', 'project'] as const
// Code, not shown as prose.
const commandExample = 'node scripts/may-push.mjs'
// Code, not shown as prose.
const matchExample = 'Bash(git push *)\nEdit(src/**)'

export interface HookFields {
  scope: HookInfo['scope']
  event: HookInfo['event']
  command: string
  match: string[] | null
  timeoutMs: number | null
}

interface HookFormProps {
  /** Absent for a new hook. */
  hook?: HookInfo
  /** Hooks can be added to the folder only if it is trusted. */
  trusted: boolean
  /** Throws the server's validation error. */
  onSave: (fields: HookFields) => Promise<void>
  onCancel: () => void
}

export function HookForm({ hook, trusted, onSave, onCancel }: HookFormProps) {
  const [scope, setScope] = useState<HookInfo['scope']>(hook?.scope ?? 'home')
  const [event, setEvent] = useState<HookInfo['event']>(hook?.event ?? 'before-call')
  const [command, setCommand] = useState(hook?.command ?? '')
  const [match, setMatch] = useState(hook?.match?.join('\n') ?? '')
  const [seconds, setSeconds] = useState(hook === undefined ? '' : String(hook.timeoutMs / 1000))
  const [failure, setFailure] = useState<{ field: string; text: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const rules = match.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const timeoutMs = seconds.trim() === '' ? null : Math.round(Number(seconds) * 1000)
  const isReady = command.trim() !== '' && (timeoutMs === null || timeoutMs > 0) && !busy
  const save = async () => {
    setBusy(true)
    try {
      await onSave({ scope, event, command: command.trim(), match: rules.length === 0 ? null : rules, timeoutMs })
    } catch (error) {
      const { message, data } = toErrorInfo(error)
      setFailure({ field: textIn(data?.['field']) ?? '', text: message })
      setBusy(false)
    }
  }
  const isForCalls = event !== 'run-end'
  return (
    <form
      className="settings-row-body settings-inline-form"
      aria-label={hook === undefined ? t.hookEditor.add : t.hookEditor.edit}
      onSubmit={(submitted) => {
        submitted.preventDefault()
        if (isReady) void save()
      }}
    >
      {hook === undefined && (
        <label>
          {t.hookEditor.scope}
          <select value={scope} onChange={({ target }) => setScope(target.value as HookInfo['scope'])}>
            {scopes.map((one) => (
              <option key={one} value={one} disabled={one === 'project' && !trusted}>
                {t.hookEditor.scopes[one]}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {t.hookEditor.event}
        <select value={event} onChange={({ target }) => setEvent(target.value as HookInfo['event'])}>
          {events.map((one) => (
            <option key={one} value={one}>
              {t.settings.hooks.events[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t.hookEditor.command}
        <textarea
          rows={2}
          required
          spellCheck={false}
          placeholder={commandExample}
          value={command}
          aria-invalid={failure?.field === 'command'}
          onChange={({ target }) => setCommand(target.value)}
        />
      </label>
      {isForCalls && (
        <label>
          {t.hookEditor.match}
          <textarea
            rows={2}
            spellCheck={false}
            placeholder={matchExample}
            value={match}
            aria-invalid={failure?.field === 'match'}
            onChange={({ target }) => setMatch(target.value)}
          />
        </label>
      )}
      <label>
        {t.hookEditor.seconds}
        <input
          type="number"
          inputMode="decimal"
          min={0.1}
          step="any"
          placeholder="30"
          value={seconds}
          onChange={({ target }) => setSeconds(target.value)}
        />
      </label>
      <p className="settings-note">{t.hookEditor.warning}</p>
      <p className="settings-failure" role="alert">
        {failure?.text}
      </p>
      <div className="settings-row-buttons">
        <Button type="submit" kind="primary" disabled={!isReady}>
          {hook === undefined ? t.hookEditor.add : t.ui.save}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          {t.ui.cancel}
        </Button>
      </div>
    </form>
  )
}
