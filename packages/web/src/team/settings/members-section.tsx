import type { Answered, Role } from '@troupe/protocol'
import { Download, Ellipsis, Trash2, UserMinus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { ActionFailure, ServerDataStatus, useServerAction, useServerData } from '../../settings/section-parts.tsx'
import { notice } from '../../state/notices.tsx'
import { useTeam } from '../../state/team.tsx'
import { formatMoment } from '../../texts/format.ts'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { AccessFailure, onSubmit, useAttempt } from '../parts/access-page.tsx'
import { governance } from './governance.ts'
import { joinFacts, OnceShown, roleOptions, Row, Select } from '../parts/parts.tsx'

type Member = Answered<'GET /ai/members'>['members'][number]

const roles: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

/** People and invitations. Only owners and admins change them. */
export function MembersSection() {
  const { api, link } = useWorkspace()
  const { call } = api
  const person = useTeam((state) => state.page?.person)
  const isManager = person?.role === 'owner' || person?.role === 'admin'
  const asked = useServerData(
    useCallback(async () => {
      const [{ members }, invited] = await Promise.all([
        call('GET /ai/members'),
        isManager ? call('GET /ai/invitations') : undefined,
      ])
      return { members, invitations: invited?.invitations ?? [] }
    }, [call, isManager]),
  )
  const { act, failure } = useServerAction(asked)
  const [leaving, setLeaving] = useState<{ member: Member; how: 'remove' | 'erase' } | null>(null)
  const [now] = useState(Date.now)
  if (person === undefined) return null
  // Only owners decide about owners.
  const givable = person.role === 'owner' ? roles : roles.slice(1)
  const members = asked.value?.members ?? []
  const invitations = asked.value?.invitations ?? []
  return (
    <>
      {isManager && <InviteForm roles={givable} onInvited={asked.again} />}
      <ServerDataStatus asked={asked} />
      <ActionFailure failure={failure} />
      {invitations.length > 0 && (
        <section className="settings-group" aria-label={t.team.members.pending}>
          <h3>{t.team.members.pending}</h3>
          <ul className="team-list">
            {invitations.map(({ id, email, role, expiresAt }) => (
              <Row
                key={id}
                name={email}
                facts={t.team.members.pendingFacts(t.team.roles[role], formatMoment(expiresAt, now))}
              >
                <Button
                  aria-label={`${t.team.members.withdraw}: ${email}`}
                  onClick={() => void act(() => call('DELETE /ai/invitations/:id', { params: { id } }))}
                >
                  {t.team.members.withdraw}
                </Button>
              </Row>
            ))}
          </ul>
        </section>
      )}
      <section className="settings-group" data-setting="list" aria-label={t.team.sections.members}>
        <h3>{t.team.members.list(members.length)}</h3>
        <ul className="team-list">
          {members.map((member) => {
            const mayChange = isManager && (member.role !== 'owner' || person.role === 'owner')
            const isSelf = member.id === person.id
            return (
              <Row
                key={member.id}
                isPerson
                name={member.name}
                note={isSelf && t.team.members.you}
                facts={joinFacts(
                  member.email,
                  !mayChange && t.team.roles[member.role],
                  member.secondFactor && t.team.members.secondFactor,
                )}
              >
                {mayChange && (
                  <>
                    <Select
                      label={t.team.members.roleOf(member.name)}
                      value={member.role}
                      options={roleOptions(givable)}
                      onChange={(role) =>
                        void act(() => call('PATCH /ai/members/:id', { params: { id: member.id }, body: { role } }))
                      }
                    />
                    {!isSelf && (
                      <Menu
                        align="end"
                        trigger={
                          <button type="button" className="icon-button" aria-label={t.team.members.more(member.name)}>
                            <Ellipsis />
                          </button>
                        }
                        items={[
                          {
                            label: t.team.members.export,
                            icon: <Download aria-hidden />,
                            onSelect: () =>
                              window.location.assign(link(`/ai/people/${encodeURIComponent(member.id)}/data`)),
                          },
                          {
                            label: t.team.members.remove,
                            icon: <UserMinus aria-hidden />,
                            startsGroup: true,
                            onSelect: () => setLeaving({ member, how: 'remove' }),
                          },
                          {
                            label: t.team.members.erase,
                            icon: <Trash2 aria-hidden />,
                            danger: true,
                            onSelect: () => setLeaving({ member, how: 'erase' }),
                          },
                        ]}
                      />
                    )}
                  </>
                )}
              </Row>
            )
          })}
        </ul>
      </section>
      {leaving !== null && (
        <ConfirmDialog
          title={t.team.members[leaving.how === 'remove' ? 'removeTitle' : 'eraseTitle'](leaving.member.name)}
          confirm={t.team.members[leaving.how]}
          onConfirm={() =>
            void act(async () => {
              const { id, email } = leaving.member
              if (leaving.how === 'erase') return void (await governance(api).deletePerson(id, email ?? ''))
              const { chats } = await call('DELETE /ai/members/:id', { params: { id } })
              notice(t.team.members.removed(chats))
            })
          }
          onClose={() => setLeaving(null)}
        >
          <p>{t.team.members[leaving.how === 'remove' ? 'removeText' : 'eraseText']}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function InviteForm({ roles: offered, onInvited }: { roles: readonly Role[]; onInvited: () => Promise<void> }) {
  const { call } = useWorkspace().api
  const { busy, failure, attempt } = useAttempt()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [made, setMade] = useState<{ email: string; url: string } | null>(null)
  const invite = () =>
    attempt(async () => {
      const { invitation, url } = await call('POST /ai/invitations', { body: { email: email.trim(), role } })
      setMade({ email: invitation.email, url })
      setEmail('')
      await onInvited()
    })
  return (
    <form
      className="settings-group"
      data-setting="invite"
      aria-label={t.team.members.invite}
      onSubmit={onSubmit(invite)}
    >
      <h3>{t.team.members.invite}</h3>
      <p className="settings-note">{t.team.members.inviteAbout}</p>
      <div className="settings-fields">
        <label>
          {t.team.email}
          <input
            type="email"
            required
            autoComplete="off"
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </label>
        <Select isLabeled label={t.team.members.role} value={role} options={roleOptions(offered)} onChange={setRole} />
      </div>
      <p className="settings-note team-hint">{t.team.rolesAbout[role]}</p>
      <AccessFailure text={failure} />
      <div className="settings-row-buttons">
        <Button type="submit" kind="primary" disabled={busy || email.trim() === ''}>
          {t.team.members.submit}
        </Button>
      </div>
      {made !== null && (
        <OnceShown
          about={t.team.members.linkFor(made.email)}
          label={t.team.members.link}
          text={made.url}
          copy={t.team.members.copyLink}
        />
      )}
    </form>
  )
}
