import { useId, useState } from 'react'
import { describeProviderTest, type ProviderInfo, recognizeKey } from '../api/providers.ts'
import { toErrorInfo } from '../api/request.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './connect-key.css'

interface Outcome {
  ok: boolean
  text: string
}

/**
 * Connects a provider with a pasted key: recognizes the provider, tests the key and selects its first model. Nothing
 * changes if the provider refuses the key. It is sent to no other provider than the one shown.
 */
export function ConnectKey({
  providers,
  onChanged,
}: {
  providers: readonly ProviderInfo[]
  onChanged: () => Promise<unknown>
}) {
  const { api, app } = useWorkspace()
  const [key, setKey] = useState('')
  const [chosen, setChosen] = useState('')
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const id = useId()
  const typed = key.trim()
  const choices = providers.filter(({ needsKey, keyPattern }) => needsKey || keyPattern !== null)
  const fitting = recognizeKey(typed, choices)
  const recognized = fitting.length === 1 ? fitting[0]?.id : undefined
  const provider = choices.find((one) => one.id === (chosen || recognized))

  const connect = async ({ id: providerId, enabled }: ProviderInfo): Promise<Outcome> => {
    const { test } = await api.tryKey(providerId, typed)
    if (!test.ok) return { ok: false, text: describeProviderTest(test) }
    await api.changeProvider(providerId, { apiKey: typed, enabled: enabled ? undefined : true })
    // Lists the models of this account. The key was accepted, so a failure here does not matter.
    await api.testProvider(providerId).catch(() => undefined)
    setKey('')
    setChosen('')
    await onChanged()
    const models = app.getState().models.filter((model) => model.provider === providerId)
    if (models[0] !== undefined) await app.chooseModel(models[0].ref)
    return { ok: true, text: t.models.connected(models.length) }
  }
  const submit = async (): Promise<void> => {
    if (provider === undefined || typed === '' || busy) return
    setBusy(true)
    setOutcome(null)
    const result = await connect(provider).catch((error: unknown) => ({ ok: false, text: toErrorInfo(error).message }))
    setOutcome(result)
    setBusy(false)
  }

  return (
    <form
      className="connect-key"
      data-setting="key"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label htmlFor={`${id}-key`}>{t.models.key}</label>
      <div className="connect-key-row">
        <input
          id={`${id}-key`}
          type="password"
          autoComplete="off"
          placeholder={t.models.pasteKey}
          value={key}
          onChange={(event) => {
            setKey(event.target.value)
            setOutcome(null)
          }}
        />
        {typed !== '' && (
          <select
            aria-label={t.models.provider}
            value={provider?.id ?? ''}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option value="" disabled>
              {t.models.chooseProvider}
            </option>
            {choices.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        )}
        <Button type="submit" kind="primary" disabled={provider === undefined || typed === '' || busy}>
          {t.models.connect}
        </Button>
      </div>
      <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'} aria-live="polite">
        {busy ? t.ui.oneMoment : outcome?.text}
        {outcome?.ok === true && (
          <Button kind="primary" onClick={() => app.setDialog(null)}>
            {t.models.startChatting}
          </Button>
        )}
      </output>
    </form>
  )
}
