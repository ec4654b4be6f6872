import { useState } from 'react'
import { pageAccess } from '../../api/page-access.ts'
import { ConfigForm } from '../../settings/config-form.tsx'
import { SettingRow } from '../../settings/section-parts.tsx'
import { useMay, useTeam } from '../../state/team.tsx'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { AccessFailure, openApp, useAttempt } from '../parts/access-page.tsx'
import { Passkeys, Providers, Sessions } from './account-access.tsx'
import { Tokens } from './api-tokens.tsx'
import { governance } from './governance.ts'
import { OwnKeys } from './own-keys.tsx'
import { refreshPerson } from '../parts/person.ts'
import { TwoFactor } from './two-factor.tsx'

/** The person's own account. */
export function AccountSection() {
  const person = useTeam((state) => state.page?.person)
  const isManager = useMay('manage')
  if (person === undefined) return null
  return (
    <>
      <Profile key={person.name} />
      {person.hasPassword && <Password />}
      <TwoFactor />
      <Passkeys />
      <Providers />
      <Sessions />
      <Tokens />
      {isManager && <OwnKeys />}
      <OwnData />
    </>
  )
}

function Profile() {
  const { call } = useWorkspace().api
  const person = useTeam((state) => state.page!.person)
  const { failure, attempt } = useAttempt()
  const [name, setName] = useState(person.name)
  const isChanged = name.trim() !== '' && name.trim() !== person.name
  const save = () =>
    attempt(async () => {
      await call('PATCH /ai/account', { body: { name: name.trim() } })
      await refreshPerson()
    })
  return (
    <ConfigForm
      id="profile"
      title={t.team.account.profile}
      about={t.team.account.profileAbout(person.email, t.team.roles[person.role])}
      isReady={isChanged}
      saved={failure === null ? null : { id: 'profile', failure }}
      onSave={save}
    >
      <div className="settings-fields">
        <label>
          {t.team.name}
          <input maxLength={100} autoComplete="name" value={name} onChange={({ target }) => setName(target.value)} />
        </label>
      </div>
    </ConfigForm>
  )
}

function Password() {
  const { call } = useWorkspace().api
  const { failure, attempt } = useAttempt()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [isChanged, setChanged] = useState(false)
  const save = async () => {
    setChanged(false)
    const work = async () => {
      await call('POST /ai/account/password', { body: { current, next } })
      setCurrent('')
      setNext('')
      setChanged(true)
      // The change renewed the session, so links need another key.
      await refreshPerson()
    }
    await attempt(work, { WrongPassword: t.team.account.wrongPassword })
  }
  return (
    <ConfigForm
      id="password"
      title={t.team.account.password}
      about={t.team.account.passwordAbout}
      isReady={current !== '' && next.length >= 10}
      saved={failure === null ? null : { id: 'password', failure }}
      onSave={save}
      note={isChanged ? <output className="settings-outcome">{t.team.account.changed}</output> : undefined}
    >
      <div className="settings-fields">
        <label>
          {t.team.account.current}
          <input
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={({ target }) => setCurrent(target.value)}
          />
        </label>
        <label>
          {t.team.account.next}
          <input
            type="password"
            autoComplete="new-password"
            maxLength={200}
            placeholder={t.team.passwordRule}
            value={next}
            onChange={({ target }) => setNext(target.value)}
          />
        </label>
      </div>
    </ConfigForm>
  )
}

function OwnData() {
  const { api, link } = useWorkspace()
  const { id, email } = useTeam((state) => state.page!.person)
  const { failure, attempt } = useAttempt()
  const [isDeleting, setDeleting] = useState(false)
  const remove = () =>
    attempt(
      async () => {
        await governance(api).deletePerson(id, email)
        pageAccess.forget()
        openApp()
      },
      { NotFound: t.team.account.unavailable },
    )
  return (
    <>
      <SettingRow id="data" title={t.team.account.data} about={t.team.account.dataAbout}>
        <a className="button button-plain" href={link(`/ai/people/${encodeURIComponent(id)}/data`)} download>
          {t.team.account.export}
        </a>
      </SettingRow>
      <SettingRow id="delete" title={t.team.account.delete} about={t.team.account.deleteAbout}>
        <Button kind="danger" onClick={() => setDeleting(true)}>
          {t.team.account.delete}
        </Button>
      </SettingRow>
      <AccessFailure text={failure} />
      {isDeleting && (
        <ConfirmDialog
          title={t.team.account.deleteTitle}
          confirm={t.team.account.delete}
          onConfirm={() => void remove()}
          onClose={() => setDeleting(false)}
        >
          <p>{t.team.account.deleteText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
