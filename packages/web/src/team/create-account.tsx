import { useCallback, useState } from 'react'
import { useServerData } from '../settings/section-parts.tsx'
import '../texts/show-team.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { focusOnMount } from '../ui/focus.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { AccessField, AccessForm, AccessPage, openApp } from './parts/access-page.tsx'

interface CreateProps {
  token: string
  onDone: () => void
}

/** Creates the first owner, with the address that the first start of the server prints. */
export function CreateOwnerPage({ token, onDone }: CreateProps) {
  const { call } = useWorkspace().api
  return (
    <AccessPage title={t.team.create.ownerTitle}>
      <p>{t.team.create.ownerAbout}</p>
      <AccountForm
        submit={t.team.create.ownerSubmit}
        asksEmail
        onCreate={({ name, email, password }) =>
          call('POST /ai/account/setup', { body: { token, name, email, password } })
        }
        onDone={onDone}
      />
    </AccessPage>
  )
}

/** Accepts an invitation. */
export function JoinPage({ token, onDone }: CreateProps) {
  const { call } = useWorkspace().api
  const asked = useServerData(
    useCallback(() => call('POST /ai/account/invitation', { body: { token } }), [call, token]),
  )
  if (asked.failure !== null) return <InvalidLinkPage />
  if (asked.value === null) return null
  const { email, role } = asked.value
  return (
    <AccessPage title={t.team.create.inviteTitle}>
      <p>{t.team.create.inviteAbout(email, t.team.roles[role])}</p>
      <AccountForm
        submit={t.team.create.inviteSubmit}
        onCreate={({ name, password }) => call('POST /ai/account/join', { body: { token, name, password } })}
        onDone={onDone}
      />
    </AccessPage>
  )
}

export function InvalidLinkPage() {
  return (
    <AccessPage title={t.team.create.inviteTitle}>
      <p>{t.team.create.invalid}</p>
      <p>{t.team.create.invalidNext}</p>
      <Button kind="primary" onClick={() => openApp()}>
        {t.team.create.toSignIn}
      </Button>
    </AccessPage>
  )
}

interface NewAccount {
  name: string
  email: string
  password: string
}

interface AccountFormProps {
  submit: string
  asksEmail?: boolean
  onCreate: (account: NewAccount) => Promise<unknown>
  onDone: () => void
}

function AccountForm({ submit, asksEmail = false, onCreate, onDone }: AccountFormProps) {
  const [account, setAccount] = useState<NewAccount>({ name: '', email: '', password: '' })
  const change = (fields: Partial<NewAccount>) => setAccount((before) => ({ ...before, ...fields }))
  const create = async () => {
    await onCreate({ ...account, name: account.name.trim(), email: account.email.trim() })
    onDone()
  }
  return (
    <AccessForm submit={submit} onSubmit={create} known={{ LinkInvalid: t.team.create.invalid }}>
      <AccessField
        label={t.team.name}
        required
        maxLength={100}
        autoComplete="name"
        ref={focusOnMount}
        value={account.name}
        onChange={(name) => change({ name })}
      />
      {asksEmail && (
        <AccessField
          label={t.team.email}
          type="email"
          required
          autoComplete="username"
          value={account.email}
          onChange={(email) => change({ email })}
        />
      )}
      <AccessField
        label={t.team.password}
        type="password"
        required
        minLength={10}
        maxLength={200}
        autoComplete="new-password"
        hint={t.team.passwordRule}
        value={account.password}
        onChange={(password) => change({ password })}
      />
    </AccessForm>
  )
}
