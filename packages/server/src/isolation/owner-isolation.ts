import type { Isolation } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { TeamIsolation } from './open-isolation.ts'

/** The isolation of the person who owns something, such as a session, in a folder. */
export type IsolationOf = (owner: { ownerId?: string | null | undefined }, workspace: string) => Isolation

/** Loaded for everybody, unlike the rest of this folder. Throws `NoOwner` instead of running something as nobody. */
export function isolationOf(isolation: TeamIsolation): IsolationOf {
  return ({ ownerId }, workspace) => {
    if (ownerId === undefined || ownerId === null)
      throw new NamedError('NoOwner', 'This chat has no owner, so nothing can run in it.', { status: 409 })
    return isolation.of(ownerId, workspace)
  }
}
