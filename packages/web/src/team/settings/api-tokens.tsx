import type { ApiToken, Scope } from '@troupe/protocol'
import { useCallback, useState } from 'react'
import { ActionFailure, ServerDataStatus, useServerAction, useServerData } from '../../settings/section-parts.tsx'
import { useTeam } from '../../state/team.tsx'
import { formatMoment } from '../../texts/format.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { AccessFailure, onSubmit, useAttempt } from '../parts/access-page.tsx'
import { joinFacts, OnceShown, Row, Select } from '../parts/parts.tsx'

/** Each scope includes those before it. */
const scopes = ['read', 'write', 'admin'] as const
const durations = ['7', '30', '90', '365', 'never'] as const

export function Tokens() {
  const { call } = useWorkspace().api
  const asked = useServerData(useCallback(() => call('GET /ai/account/tokens'), [call]))
  const { act, failure } = useServerAction(asked)
  const [secret, setSecret] = useState<string | null>(null)
  const [now] = useState(Date.now)
  return (
    <section className="settings-group" data-setting="tokens" aria-label={t.team.account.tokens}>
      <h3>{t.team.account.tokens}</h3>
      <p className="settings-note">{t.team.account.tokensAbout}</p>
      <ServerDataStatus asked={asked} />
      <ul className="team-list">
        {asked.value?.tokens.map((token) => (
          <Row key={token.id} name={token.name} facts={tokenFacts(token, now)}>
            <Button
              aria-label={`${t.team.account.remove}: ${token.name}`}
              onClick={() => void act(() => call('DELETE /ai/account/tokens/:id', { params: { id: token.id } }))}
            >
              {t.team.account.remove}
            </Button>
          </Row>
        ))}
      </ul>
      <ActionFailure failure={failure} />
      {secret !== null && (
        <OnceShown
          about={t.team.account.tokenMade}
          label={t.team.account.tokens}
          text={secret}
          copy={t.team.account.copyToken}
        />
      )}
      <TokenForm
        onMade={(made) => {
          setSecret(made)
          void asked.again()
        }}
      />
    </section>
  )
}

function tokenFacts({ start, scopes: given, expiresAt, usedAt }: ApiToken, now: number): string {
  const widest = scopes.findLast((scope) => given.includes(scope))
  return joinFacts(
    `${start}…`,
    widest === undefined ? undefined : t.team.account.scopes[widest],
    usedAt === null ? t.team.account.neverUsed : t.team.account.usedAt(formatMoment(usedAt, now)),
    expiresAt === null ? undefined : t.team.account.expiresAt(formatMoment(expiresAt, now)),
  )
}

function TokenForm({ onMade }: { onMade: (secret: string) => void }) {
  const { call } = useWorkspace().api
  const role = useTeam((state) => state.page!.person.role)
  const { busy, failure, attempt } = useAttempt()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('read')
  const [duration, setDuration] = useState<(typeof durations)[number]>('90')
  const allowed = scopes.slice(0, role === 'viewer' ? 1 : role === 'member' ? 2 : 3)
  const create = () =>
    attempt(async () => {
      const { secret } = await call('POST /ai/account/tokens', {
        body: {
          name: name.trim(),
          scopes: scopes.slice(0, scopes.indexOf(scope) + 1),
          expiresInDays: duration === 'never' ? null : Number(duration),
        },
      })
      setName('')
      onMade(secret)
    })
  return (
    <form className="team-form" onSubmit={onSubmit(create)}>
      <div className="settings-fields">
        <label>
          {t.team.account.tokenName}
          <input required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
        </label>
        <Select
          isLabeled
          label={t.team.account.scope}
          value={scope}
          options={allowed.map((value) => ({ value, label: t.team.account.scopes[value] }))}
          onChange={setScope}
        />
        <Select
          isLabeled
          label={t.team.account.expires}
          value={duration}
          options={durations.map((value) => ({
            value,
            label: value === 'never' ? t.team.account.never : t.team.account.days(Number(value)),
          }))}
          onChange={setDuration}
        />
      </div>
      <AccessFailure text={failure} />
      <div className="settings-row-buttons">
        <Button type="submit" disabled={busy || name.trim() === ''}>
          {t.team.account.createToken}
        </Button>
      </div>
    </form>
  )
}
