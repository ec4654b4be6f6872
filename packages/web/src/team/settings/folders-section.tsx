import type { RecentFolder, WorkspaceGrant, WorkspaceRight } from '@troupe/protocol'
import { useCallback, useState } from 'react'
import { ActionFailure, ServerDataStatus, useServerAction, useServerData } from '../../settings/section-parts.tsx'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { onSubmit } from '../parts/access-page.tsx'
import { Row, Select } from '../parts/parts.tsx'

type Subject = { personId: string } | { role: 'member' | 'viewer' }

interface Candidate {
  /** `role:member` or `person:<id>`. */
  key: string
  name: string
  subject: Subject
}

const rights = ['read', 'write', 'manage'] as const
const rightOptions = () => rights.map((value) => ({ value, label: t.team.folders.rights[value] }))

/** Rights on folders, by person and role. */
export function FoldersSection() {
  const { call } = useWorkspace().api
  const asked = useServerData(
    useCallback(async () => {
      const [{ workspaces }, { members }] = await Promise.all([call('GET /ai/workspaces'), call('GET /ai/members')])
      const grants = await Promise.all(
        workspaces.map(({ id }) => call('GET /ai/workspaces/:id/grants', { params: { id } })),
      )
      return { folders: workspaces.map((folder, index) => ({ folder, grants: grants[index]?.grants ?? [] })), members }
    }, [call]),
  )
  const { act, failure } = useServerAction(asked)
  const people = asked.value?.members.filter(({ role }) => role === 'member' || role === 'viewer') ?? []
  const candidates: Candidate[] = [
    ...(['member', 'viewer'] as const).map((role) => ({
      key: `role:${role}`,
      name: t.team.folders.everyone[role],
      subject: { role },
    })),
    ...people.map(({ id, name }) => ({ key: `person:${id}`, name, subject: { personId: id } })),
  ]
  return (
    <>
      <p className="settings-note">{t.team.folders.about}</p>
      <ServerDataStatus asked={asked} />
      <ActionFailure failure={failure} />
      {asked.value?.folders.length === 0 && <p className="settings-none">{t.team.folders.none}</p>}
      {asked.value?.folders.map(({ folder, grants }) => (
        <FolderGrants
          key={folder.id}
          folder={folder}
          grants={grants}
          candidates={candidates}
          onGrant={(subject, right) =>
            act(() => call('PUT /ai/workspaces/:id/grants', { params: { id: folder.id }, body: { subject, right } }))
          }
        />
      ))}
    </>
  )
}

interface FolderGrantsProps {
  folder: RecentFolder
  grants: readonly WorkspaceGrant[]
  candidates: readonly Candidate[]
  onGrant: (subject: Subject, right: WorkspaceRight | null) => Promise<void>
}

function FolderGrants({ folder, grants, candidates, onGrant }: FolderGrantsProps) {
  const taken = new Set(grants.map(keyOf))
  const free = candidates.filter(({ key }) => !taken.has(key))
  const [chosen, setChosen] = useState('')
  const [right, setRight] = useState<WorkspaceRight>('write')
  const candidate = free.find(({ key }) => key === chosen) ?? free[0]
  return (
    <section className="settings-group" data-setting={folder.id} aria-label={folder.name}>
      <h3>
        <VisibleText text={folder.name} as="name" />
      </h3>
      <p className="settings-note">
        <code>
          <VisibleText text={folder.path} as="name" />
        </code>
      </p>
      {grants.length === 0 && <p className="settings-note">{t.team.folders.onlyAdmins}</p>}
      <ul className="team-list">
        {grants.map((grant) => {
          const name = nameOf(grant)
          const subject = subjectOf(grant)
          return (
            <Row key={keyOf(grant)} isPerson={'personId' in grant.subject} name={name}>
              <Select
                label={t.team.folders.rightOf(name, folder.name)}
                value={grant.right}
                options={rightOptions()}
                onChange={(next) => void onGrant(subject, next)}
              />
              <Button
                aria-label={`${t.team.folders.remove}: ${name}, ${folder.name}`}
                onClick={() => void onGrant(subject, null)}
              >
                {t.team.folders.remove}
              </Button>
            </Row>
          )
        })}
      </ul>
      {candidate !== undefined && (
        <form className="team-form" onSubmit={onSubmit(() => onGrant(candidate.subject, right))}>
          <div className="settings-fields">
            <Select
              isLabeled
              label={t.team.folders.who}
              value={candidate.key}
              options={free.map(({ key, name }) => ({ value: key, label: name }))}
              onChange={setChosen}
            />
            <Select isLabeled label={t.team.folders.right} value={right} options={rightOptions()} onChange={setRight} />
          </div>
          <div className="settings-row-buttons">
            <Button type="submit">{t.team.folders.add}</Button>
          </div>
        </form>
      )}
    </section>
  )
}

function keyOf({ subject }: WorkspaceGrant): string {
  return 'personId' in subject ? `person:${subject.personId}` : `role:${subject.role}`
}

function nameOf({ subject }: WorkspaceGrant): string {
  if ('personId' in subject) return subject.name === '' ? t.team.formerMember : subject.name
  return subject.role === 'member' || subject.role === 'viewer'
    ? t.team.folders.everyone[subject.role]
    : t.team.roles[subject.role]
}

function subjectOf({ subject }: WorkspaceGrant): Subject {
  return 'personId' in subject ? { personId: subject.personId } : { role: subject.role as 'member' | 'viewer' }
}
