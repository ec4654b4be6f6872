import type { AccountSession } from '@troupe/protocol'
import { useCallback, useState } from 'react'
import { pageAccess } from '../../api/page-access.ts'
import { ActionFailure, ServerDataStatus, useServerAction, useServerData } from '../../settings/section-parts.tsx'
import { formatMoment } from '../../texts/format.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { AccessFailure, onSubmit, useAttempt } from '../parts/access-page.tsx'
import { joinFacts, Row } from '../parts/parts.tsx'
import { createPasskey, hasPasskeys, isNamedHost } from '../parts/passkeys.ts'

export function Passkeys() {
  const { call } = useWorkspace().api
  const asked = useServerData(useCallback(() => call('GET /ai/account/passkeys'), [call]))
  const { act, failure } = useServerAction(asked)
  const adding = useAttempt()
  const [name, setName] = useState('')
  const [now] = useState(Date.now)
  const add = () =>
    adding.attempt(
      async () => {
        const { options } = await call('POST /ai/account/passkeys/options')
        const response = await createPasskey(options)
        await call('POST /ai/account/passkeys', { body: { name: name.trim(), response } })
        setName('')
        await asked.again()
      },
      {
        SignInAgain: t.team.account.signInAgain,
        PasskeyRefused: t.team.account.passkeyRefused,
        NotAllowedError: t.team.account.passkeyRefused,
        InvalidStateError: t.team.account.passkeyRefused,
      },
    )
  return (
    <section className="settings-group" data-setting="passkeys" aria-label={t.team.account.passkeys}>
      <h3>{t.team.account.passkeys}</h3>
      <p className="settings-note">{passkeyNote()}</p>
      <ServerDataStatus asked={asked} />
      <ul className="team-list">
        {asked.value?.passkeys.map((one) => (
          <Row
            key={one.id}
            name={one.name}
            facts={one.createdAt === null ? undefined : formatMoment(one.createdAt, now)}
          >
            <Button
              aria-label={`${t.team.account.remove}: ${one.name}`}
              onClick={() => void act(() => call('DELETE /ai/account/passkeys/:id', { params: { id: one.id } }))}
            >
              {t.team.account.remove}
            </Button>
          </Row>
        ))}
      </ul>
      <ActionFailure failure={failure} />
      {hasPasskeys() && (
        <form className="team-form" onSubmit={onSubmit(add)}>
          <div className="settings-fields">
            <label>
              {t.team.account.passkeyName}
              <input required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
            </label>
          </div>
          <AccessFailure text={adding.failure} />
          <div className="settings-row-buttons">
            <Button type="submit" disabled={adding.busy || name.trim() === ''}>
              {t.team.account.addPasskey}
            </Button>
          </div>
        </form>
      )}
    </section>
  )
}

function passkeyNote(): string {
  if (hasPasskeys()) return t.team.account.passkeysAbout
  return isNamedHost(window.location.hostname) ? t.team.account.noPasskeys : t.team.account.passkeysNeedName
}

/** Connects the account with single sign-on. */
export function Providers() {
  const { call } = useWorkspace().api
  const asked = useServerData(useCallback(() => pageAccess.me(), []))
  const { failure, attempt } = useAttempt()
  const providers = asked.value?.providers ?? []
  if (providers.length === 0) return null
  const connect = (provider: string) =>
    attempt(async () => {
      const { url } = await call('POST /ai/account/providers', { body: { provider } })
      window.location.assign(url)
    })
  return (
    <section className="settings-group" data-setting="providers" aria-label={t.team.account.providers}>
      <h3>{t.team.account.providers}</h3>
      <p className="settings-note">{t.team.account.providersAbout}</p>
      <div className="settings-row-buttons">
        {providers.map(({ id, name }) => (
          <Button key={id} onClick={() => void connect(id)}>
            {t.team.account.connect(name)}
          </Button>
        ))}
      </div>
      <AccessFailure text={failure} />
    </section>
  )
}

export function Sessions() {
  const { call } = useWorkspace().api
  const asked = useServerData(useCallback(() => call('GET /ai/account/sessions'), [call]))
  const { act, failure } = useServerAction(asked)
  const [now] = useState(Date.now)
  const sessions = asked.value?.sessions ?? []
  const end = (id: string) => void act(() => call('DELETE /ai/account/sessions/:id', { params: { id } }))
  return (
    <section className="settings-group" data-setting="sessions" aria-label={t.team.account.sessions}>
      <h3>{t.team.account.sessions}</h3>
      <p className="settings-note">{t.team.account.sessionsAbout}</p>
      <ServerDataStatus asked={asked} />
      <ul className="team-list">
        {sessions.map((one) => (
          <Row
            key={one.id}
            name={programOf(one)}
            note={one.current && t.team.account.thisBrowser}
            facts={joinFacts(one.address, t.team.account.since(formatMoment(one.createdAt, now)))}
          >
            {!one.current && (
              <Button aria-label={`${t.team.account.end}: ${programOf(one)}`} onClick={() => end(one.id)}>
                {t.team.account.end}
              </Button>
            )}
          </Row>
        ))}
      </ul>
      <ActionFailure failure={failure} />
      {sessions.length > 1 && (
        <div className="settings-row-buttons">
          <Button onClick={() => end('others')}>{t.team.account.endOthers}</Button>
        </div>
      )}
    </section>
  )
}

// Names of products, the same in every language.
const browsers = [
  [/\bEdg\//, 'Edge'], // not shown
  [/\bOPR\//, 'Opera'], // not shown
  [/\bFirefox\//, 'Firefox'], // not shown
  [/Chrome\//, 'Chrome'], // not shown
  [/\bSafari\//, 'Safari'], // not shown
] as const
const systems = [
  [/iPhone|iPad/, 'iOS'], // not shown
  [/Android/, 'Android'], // not shown
  [/Windows/, 'Windows'], // not shown
  [/Mac OS X/, 'macOS'], // not shown
  [/Linux/, 'Linux'], // not shown
] as const

/** Browser and system, as far as the browser names them. */
export function programOf({ kind, userAgent }: Pick<AccountSession, 'kind' | 'userAgent'>): string {
  const text = userAgent ?? ''
  const [browser, system] = [browsers, systems].map((known) => known.find(([pattern]) => pattern.test(text))?.[1])
  if (kind === 'device') return text === '' ? t.team.account.device : text
  return joinFacts(browser ?? t.team.account.unknownBrowser, system)
}
