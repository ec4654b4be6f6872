import type { Me } from '@troupe/protocol'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import '../texts/show-team.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { focusOnMount } from '../ui/focus.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import {
  AccessFailure,
  AccessField,
  AccessForm,
  AccessPage,
  CodeForm,
  openApp,
  useAttempt,
} from './parts/access-page.tsx'
import { askForPasskey, hasPasskeys } from './parts/passkeys.ts'

/** Signs in with a password, a passkey or a provider, then calls `onDone`. */
export function SignInPage({ me, onDone }: { me: Pick<Me, 'needsOwner' | 'providers'>; onDone?: () => void }) {
  const [needsCode, setNeedsCode] = useState(false)
  const done = onDone ?? (() => openApp(window.location.hash))
  if (me.needsOwner)
    return (
      <AccessPage title={t.team.signIn.noOwnerTitle}>
        <p>{t.team.signIn.noOwner}</p>
      </AccessPage>
    )
  if (needsCode) return <SecondFactor onDone={done} onBack={() => setNeedsCode(false)} />
  return (
    <AccessPage title={t.team.signIn.title}>
      <PasswordForm onDone={done} onCode={() => setNeedsCode(true)} />
      <OtherWays providers={me.providers} onDone={done} />
    </AccessPage>
  )
}

function PasswordForm({ onDone, onCode }: { onDone: () => void; onCode: () => void }) {
  const { call } = useWorkspace().api
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = async () => {
    const { status } = await call('POST /ai/account/sign-in', { body: { email: email.trim(), password } })
    if (status === 'second-factor') onCode()
    else onDone()
  }
  return (
    <AccessForm submit={t.team.signIn.submit} onSubmit={signIn} known={{ SignInFailed: t.team.signIn.failed }}>
      <AccessField
        label={t.team.email}
        type="email"
        required
        autoComplete="username webauthn"
        ref={focusOnMount}
        value={email}
        onChange={setEmail}
      />
      <AccessField
        label={t.team.password}
        type="password"
        required
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
    </AccessForm>
  )
}

function OtherWays({ providers, onDone }: { providers: Me['providers']; onDone: () => void }) {
  const { call } = useWorkspace().api
  const { busy, failure, attempt } = useAttempt()
  const passkey = () =>
    attempt(
      async () => {
        const { options } = await call('POST /ai/account/passkey-options')
        await call('POST /ai/account/passkey', { body: { response: await askForPasskey(options) } })
        onDone()
      },
      { SignInFailed: t.team.signIn.passkeyFailed, NotAllowedError: t.team.signIn.passkeyFailed },
    )
  const continueWith = (provider: string) =>
    attempt(async () => {
      const { url } = await call('POST /ai/account/provider', { body: { provider } })
      window.location.assign(url)
    })
  if (!hasPasskeys() && providers.length === 0) return null
  return (
    <>
      <div className="access-or">{t.team.signIn.or}</div>
      {providers.map(({ id, name }) => (
        <Button key={id} disabled={busy} onClick={() => void continueWith(id)}>
          {t.team.signIn.provider(name)}
        </Button>
      ))}
      {hasPasskeys() && (
        <Button disabled={busy} onClick={() => void passkey()}>
          <KeyRound aria-hidden />
          {t.team.signIn.passkey}
        </Button>
      )}
      <AccessFailure text={failure} />
    </>
  )
}

/** The second factor: a code of the authenticator app, or a backup code. */
function SecondFactor({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const { call } = useWorkspace().api
  const [kind, setKind] = useState<'totp' | 'backup'>('totp')
  const isApp = kind === 'totp'
  const confirm = async (code: string) => {
    const body = { code: isApp ? code.replaceAll(/\s/g, '') : code.trim(), kind }
    await call('POST /ai/account/second-factor', { body })
    onDone()
  }
  return (
    <AccessPage title={t.team.signIn.codeTitle}>
      <p>{isApp ? t.team.signIn.codeAbout : t.team.signIn.backupAbout}</p>
      <CodeForm
        key={kind}
        label={isApp ? t.team.signIn.code : t.team.signIn.backupCode}
        inputMode={isApp ? 'numeric' : 'text'}
        autoComplete="one-time-code"
        submit={t.team.signIn.submit}
        known={{ SignInFailed: t.team.signIn.codeFailed }}
        onSubmit={confirm}
      />
      <div className="access-buttons">
        <Button kind="quiet" onClick={onBack}>
          {t.team.signIn.back}
        </Button>
        <Button kind="quiet" onClick={() => setKind(isApp ? 'backup' : 'totp')}>
          {isApp ? t.team.signIn.useBackup : t.team.signIn.useApp}
        </Button>
      </div>
    </AccessPage>
  )
}
