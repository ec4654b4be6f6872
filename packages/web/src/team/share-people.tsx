import type { Role, ShareRight, Sharing } from '@troupe/protocol'
import { useCallback, useState } from 'react'
import { ActionFailure, ServerDataStatus, useServerAction, useServerData } from '../settings/section-parts.tsx'
import { formatMoment } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { onSubmit } from './parts/access-page.tsx'
import { OnceShown, Row, Select } from './parts/parts.tsx'
import './share-people.css'

const rights = ['read', 'comment', 'write', 'approve'] as const
/** Viewers never write, whatever a chat is shared with. */
const rightOptions = (role: Role | undefined) =>
  rights.slice(0, role === 'viewer' ? 2 : 4).map((value) => ({ value, label: t.team.share.rights[value] }))
const usableRight = (right: ShareRight, role: Role | undefined): ShareRight =>
  role === 'viewer' && right !== 'read' ? 'comment' : right
const durations = ['1', '7', '30', '90', '365'] as const

/** Shares the chat with its folder, with people, and with anyone who has a link. */
export function SharePeople({ sessionId }: { sessionId: string }) {
  const { call } = useWorkspace().api
  const asked = useServerData(
    useCallback(async () => {
      const [{ sharing }, { members }] = await Promise.all([
        call('GET /ai/sessions/:id/sharing', { params: { id: sessionId } }),
        call('GET /ai/members'),
      ])
      return { sharing, members }
    }, [call, sessionId]),
  )
  const { act, failure } = useServerAction(asked)
  if (asked.value === null)
    return (
      <section className="share-people" aria-label={t.team.share.title}>
        <ServerDataStatus asked={asked} />
      </section>
    )
  const { sharing, members } = asked.value
  const isOwn = sharing.own === 'manage'
  const params = { id: sessionId }
  const share = (personId: string, right: ShareRight | null) =>
    act(() => call('PUT /ai/sessions/:id/shares', { params, body: { personId, right } }))
  const taken = new Set([sharing.owner?.id, ...sharing.shares.map(({ person }) => person.id)])
  return (
    <section className="share-people" aria-label={t.team.share.title}>
      <h3>{t.team.share.title}</h3>
      {isOwn ? (
        <Segments
          label={t.team.share.visibility}
          options={(['private', 'workspace'] as const).map((value) => ({ value, label: t.team.share[value] }))}
          value={sharing.visibility}
          onChange={(visibility) =>
            void act(() => call('PATCH /ai/sessions/:id/sharing', { params, body: { visibility } }))
          }
        />
      ) : (
        <p>{t.team.share.readOnly}</p>
      )}
      <ul className="team-list">
        {sharing.owner !== null && <Row isPerson name={sharing.owner.name} facts={t.team.roles.owner} />}
        {sharing.shares.map(({ person, right }) => (
          <Row key={person.id} isPerson name={person.name} facts={isOwn ? undefined : t.team.share.rights[right]}>
            {isOwn && (
              <>
                <Select
                  label={t.team.share.rightOf(person.name)}
                  value={usableRight(right, members.find(({ id }) => id === person.id)?.role)}
                  options={rightOptions(members.find(({ id }) => id === person.id)?.role)}
                  onChange={(next) => void share(person.id, next)}
                />
                <Button
                  aria-label={`${t.team.share.remove}: ${person.name}`}
                  onClick={() => void share(person.id, null)}
                >
                  {t.team.share.remove}
                </Button>
              </>
            )}
          </Row>
        ))}
      </ul>
      {isOwn && <AddPerson people={members.filter(({ id }) => !taken.has(id))} onAdd={share} />}
      <ActionFailure failure={failure} />
      {isOwn && <Links sessionId={sessionId} links={sharing.links} onChange={act} />}
    </section>
  )
}

interface AddPersonProps {
  people: readonly { id: string; name: string; role: Role }[]
  onAdd: (personId: string, right: ShareRight) => Promise<void>
}

function AddPerson({ people, onAdd }: AddPersonProps) {
  const [personId, setPersonId] = useState('')
  const [right, setRight] = useState<ShareRight>('comment')
  if (people.length === 0) return null
  const chosen = people.find(({ id }) => id === personId)
  const options = rightOptions(chosen?.role)
  return (
    <form
      className="team-add"
      onSubmit={onSubmit(async () => {
        if (chosen !== undefined) await onAdd(chosen.id, usableRight(right, chosen.role))
        setPersonId('')
      })}
    >
      <Select
        label={t.team.share.person}
        value={chosen?.id ?? ''}
        options={[
          { value: '', label: t.team.share.choose },
          ...people.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={setPersonId}
      />
      <Select
        label={t.team.folders.right}
        value={usableRight(right, chosen?.role)}
        options={options}
        onChange={setRight}
      />
      <Button type="submit" disabled={chosen === undefined}>
        {t.team.share.add}
      </Button>
    </form>
  )
}

interface LinksProps {
  sessionId: string
  links: Sharing['links']
  onChange: (work: () => Promise<unknown>) => Promise<void>
}

function Links({ sessionId, links, onChange }: LinksProps) {
  const { call } = useWorkspace().api
  const [days, setDays] = useState<(typeof durations)[number]>('30')
  const [url, setUrl] = useState<string | null>(null)
  const [now] = useState(Date.now)
  const create = () =>
    onChange(async () => {
      const body = { expiresInDays: Number(days) }
      setUrl((await call('POST /ai/sessions/:id/links', { params: { id: sessionId }, body })).url)
    })
  return (
    <>
      <h3>{t.team.share.links}</h3>
      <p>{t.team.share.linksAbout}</p>
      <ul className="team-list">
        {links.map((link) => {
          const by = link.createdBy?.name ?? t.team.formerMember
          const facts = t.team.share.linkFacts(by, formatMoment(link.expiresAt, now))
          return (
            <Row key={link.id} name={t.team.share.link} facts={facts}>
              <Button
                aria-label={`${t.team.share.revoke}: ${facts}`}
                onClick={() => {
                  setUrl(null)
                  void onChange(() =>
                    call('DELETE /ai/sessions/:id/links/:linkId', { params: { id: sessionId, linkId: link.id } }),
                  )
                }}
              >
                {t.team.share.revoke}
              </Button>
            </Row>
          )
        })}
      </ul>
      <form className="team-add" onSubmit={onSubmit(create)}>
        <Select
          label={t.team.share.expires}
          value={days}
          options={durations.map((value) => ({
            value,
            label: `${t.team.account.expires} ${t.team.account.days(Number(value))}`,
          }))}
          onChange={setDays}
        />
        <Button type="submit">{t.team.share.create}</Button>
      </form>
      {url !== null && (
        <OnceShown about={t.team.share.made} label={t.team.share.link} text={url} copy={t.team.share.copy} />
      )}
    </>
  )
}
