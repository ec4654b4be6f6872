import type { Blobs, Session, Viewer } from '@troupe/core'
import type { Author, PersonInfo, Scope, SessionRight, WorkspaceRight } from '@troupe/protocol'

/**
 * The caller of a request. `local` is the single user of this machine, who may do everything. In team mode it is a
 * person, who may also call with a token that is limited to some scopes, someone with a link to one chat, or nobody
 * known.
 */
export type Principal =
  | { kind: 'local' }
  | {
      kind: 'person'
      person: PersonInfo
      /** Missing for a person in a browser, who is not limited. */
      scopes?: readonly Scope[]
      /** Id of the sign-in, to end it. */
      signInId?: string
    }
  | { kind: 'link'; linkId: string; sessionId: string }
  | { kind: 'anonymous' }

export const local: Principal = { kind: 'local' }

/** Undefined for the single user, who owns everything. */
/** The caller as the author of messages. */
export function authorOf(principal: Principal): Author | undefined {
  if (principal.kind !== 'person') return undefined
  const { id, name } = principal.person
  return { id, name }
}

export function personIdOf(principal: Principal): string | undefined {
  return principal.kind === 'person' ? principal.person.id : undefined
}

/** Filters lists of chats. Undefined for the local user, who sees all. */
export function viewerOf(principal: Principal): Viewer | undefined {
  if (principal.kind === 'local') return undefined
  if (principal.kind === 'person') return { personId: principal.person.id, isOwner: principal.person.role === 'owner' }
  return { personId: '', isOwner: false }
}

/** Rights of the caller, for handlers that list objects of several chats or workspaces. */
export interface Rights {
  session(session: Session): Promise<SessionRight | undefined>
  workspace(workspaceId: string): Promise<WorkspaceRight | undefined>
}

/** Rights of the local user. */
export const allRights: Rights = {
  session: () => Promise.resolve('manage'),
  workspace: () => Promise.resolve('manage'),
}

/** True if the caller may administer the organization. */
export function isAdmin(principal: Principal): boolean {
  if (principal.kind !== 'person') return principal.kind === 'local'
  return principal.person.role === 'owner' || principal.person.role === 'admin'
}

/**
 * Blobs by reader. Knowing a hash is not enough: a caller can read blobs that they uploaded or that their chats
 * contain, and a run can read the blobs of its chat.
 */
export interface BlobScopes {
  of(principal: Principal): Blobs
  session(sessionId: string): Blobs
  /** Adds blobs to a chat, such as attachments, after they were read through the scope of the sender. */
  attach(sessionId: string, hashes: readonly string[]): Promise<void>
  /** Adds the blobs of one chat to another. */
  copy(from: string, to: string): Promise<void>
}

/** Without accounts, everything belongs to the one user. */
export function openBlobScopes(blobs: Blobs): BlobScopes {
  return { of: () => blobs, session: () => blobs, attach: () => Promise.resolve(), copy: () => Promise.resolve() }
}
