import type { Answered } from '@troupe/protocol'
import { useCallback, useState } from 'react'
import { ActionFailure, ServerDataStatus, useServerAction, useServerData } from '../../settings/section-parts.tsx'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { AccessFailure, onSubmit, useAttempt } from '../parts/access-page.tsx'
import { Row, Select } from '../parts/parts.tsx'

/** Provider keys of the person. They win over those of the organization, unless its policy forbids them. */
export function OwnKeys({ isTitled = true }: { isTitled?: boolean }) {
  const { api, app } = useWorkspace()
  const { call } = api
  const asked = useServerData(useCallback(() => call('GET /ai/me/keys'), [call]))
  const { act, failure } = useServerAction(asked)
  const { allowed = true, providers = [], available = [] } = asked.value ?? {}
  const nameOf = (id: string) => available.find((one) => one.id === id)?.name ?? id
  const remove = (provider: string) =>
    act(async () => {
      await call('DELETE /ai/me/keys/:provider', { params: { provider } })
      await app.refreshModels()
    })
  return (
    <section className="settings-group" data-setting="key" aria-label={t.team.keys.title}>
      {isTitled && <h3>{t.team.keys.title}</h3>}
      <p className="settings-note">{allowed ? t.team.keys.about : t.team.keys.forbidden}</p>
      <ServerDataStatus asked={asked} />
      <ul className="team-list">
        {providers.map((id) => (
          <Row key={id} name={nameOf(id)} facts={t.team.keys.stored}>
            <Button aria-label={`${t.team.account.remove}: ${nameOf(id)}`} onClick={() => void remove(id)}>
              {t.team.account.remove}
            </Button>
          </Row>
        ))}
      </ul>
      <ActionFailure failure={failure} />
      {allowed && available.length > 0 && <KeyForm available={available} onStored={asked.show} />}
    </section>
  )
}

type Keys = Answered<'GET /ai/me/keys'>

interface KeyFormProps {
  available: Keys['available']
  onStored: (keys: Keys) => void
}

function KeyForm({ available, onStored }: KeyFormProps) {
  const { api, app } = useWorkspace()
  const { busy, failure, attempt } = useAttempt()
  const [chosen, setChosen] = useState('')
  const [apiKey, setApiKey] = useState('')
  const provider = available.find(({ id }) => id === chosen) ?? available[0]
  if (provider === undefined) return null
  const save = () =>
    attempt(async () => {
      const body = { provider: provider.id, apiKey: apiKey.trim() }
      onStored(await api.call('POST /ai/me/keys', { body }))
      setApiKey('')
      await app.refreshModels()
    })
  return (
    <form className="team-form" onSubmit={onSubmit(save)}>
      <div className="settings-fields">
        <Select
          isLabeled
          label={t.team.keys.provider}
          value={provider.id}
          options={available.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setChosen}
        />
        <label>
          {t.team.keys.key}
          <input
            type="password"
            required
            autoComplete="off"
            spellCheck={false}
            maxLength={5000}
            value={apiKey}
            onChange={({ target }) => setApiKey(target.value)}
          />
        </label>
      </div>
      <AccessFailure text={failure} />
      <div className="settings-row-buttons">
        <Button type="submit" kind="primary" disabled={busy || apiKey.trim() === ''}>
          {t.team.keys.save}
        </Button>
        {provider.keyURL !== null && (
          <a className="button button-quiet" href={provider.keyURL} target="_blank" rel="noreferrer">
            {t.team.keys.get}
          </a>
        )}
      </div>
    </form>
  )
}
