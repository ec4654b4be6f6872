import type { Session } from '@troupe/core'
import {
  type Scope,
  type SessionRight,
  sessionRights,
  type ShareRight,
  type WorkspaceRight,
  workspaceRights,
} from '@troupe/protocol'
import { isJoinedId } from '../util/joined-folder.ts'
import { allRights, type Principal, type Rights } from '../http/principal.ts'
import type { People } from './people.ts'

interface RightsSources {
  people: Pick<People, 'granted'>
  sharing: { right(sessionId: string, personId: string): Promise<ShareRight | undefined> }
  /** The workspace whose grants count: for a git worktree, the one that it was made from. */
  grantedAs(workspaceId: string): string
}

/** Computes what a caller may do. Answers are kept for the life of the returned object, which is one request. */
export function createRights({ people, sharing, grantedAs }: RightsSources): (principal: Principal) => Rights {
  return (principal) => {
    if (principal.kind === 'local') return allRights
    const known = new Map<string, Promise<WorkspaceRight | undefined>>()
    const rights: Rights = {
      workspace(workspaceId) {
        const id = grantedAs(workspaceId)
        const right = known.get(id) ?? workspaceRight(principal, id)
        known.set(id, right)
        return right
      },
      session: (session) => sessionRight(principal, session, rights),
    }
    return rights
  }

  async function workspaceRight(principal: Principal, workspaceId: string): Promise<WorkspaceRight | undefined> {
    if (principal.kind !== 'person') return undefined
    const { person, scopes } = principal
    const most = Math.min(
      person.role === 'viewer' ? workspaceRights.indexOf('read') : workspaceRights.indexOf('manage'),
      workspaceRights.indexOf(workspaceRightOf(scopes)),
    )
    // A member's own computer is theirs, also for admins.
    if ((person.role === 'owner' || person.role === 'admin') && !isJoinedId(workspaceId)) return workspaceRights[most]
    const granted = (await people.granted(workspaceId, person)).map((right) => workspaceRights.indexOf(right))
    return workspaceRights[Math.min(most, Math.max(-1, ...granted))]
  }

  async function sessionRight(
    principal: Principal,
    session: Session,
    rights: Rights,
  ): Promise<SessionRight | undefined> {
    if (principal.kind === 'link') return principal.sessionId === session.id ? 'read' : undefined
    if (principal.kind !== 'person') return undefined
    const { person, scopes } = principal
    const folder = await rights.workspace(session.workspaceId)
    const isOwn = session.ownerId === person.id || (session.ownerId === null && person.role === 'owner')
    const given: (SessionRight | undefined)[] = [
      isOwn ? 'manage' : await sharing.right(session.id, person.id),
      session.visibility === 'workspace' ? visibleRight[folder ?? 'none'] : undefined,
    ]
    const level = Math.max(...given.map((right) => (right === undefined ? -1 : sessionRights.indexOf(right))))
    return sessionRights[Math.min(level, mostOf(person.role === 'viewer', folder, scopes))]
  }
}

/** The right on a chat that a right on its folder gives, if the chat is visible to the folder. */
const visibleRight = { none: undefined, read: 'read', write: 'write', manage: 'approve' } as const

/**
 * Writing in a chat runs tools in its folder, so it needs the right to change that folder, also for the chat's owner and
 * for people it was shared with.
 */
function mostOf(isViewer: boolean, folder: WorkspaceRight | undefined, scopes?: readonly Scope[]): number {
  if (scopes !== undefined && !scopes.includes('write') && !scopes.includes('admin'))
    return sessionRights.indexOf('read')
  const mayWrite = !isViewer && (folder === 'write' || folder === 'manage')
  return sessionRights.indexOf(mayWrite ? 'manage' : 'comment')
}

function workspaceRightOf(scopes: readonly Scope[] | undefined): WorkspaceRight {
  if (scopes === undefined || scopes.includes('admin')) return 'manage'
  return scopes.includes('write') ? 'write' : 'read'
}

export function includes<T extends string>(order: readonly T[], given: T | undefined, wanted: T): boolean {
  return given !== undefined && order.indexOf(given) >= order.indexOf(wanted)
}
