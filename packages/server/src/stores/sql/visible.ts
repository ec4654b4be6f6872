import type { Viewer } from '@troupe/core'
import { type RawBuilder, sql } from 'kysely'

/** A condition on the table `session`: the viewer may read it. Without a viewer, everything is visible. */
export function visibleTo(viewer: Viewer | undefined): RawBuilder<boolean> {
  if (viewer === undefined) return sql<boolean>`1 = 1`
  const { personId, isOwner } = viewer
  return sql<boolean>`(session.owner_id = ${personId} or session.visibility = 'workspace'
    or ${isSharedWith(personId)}
    ${isOwner ? sql`or session.owner_id is null` : sql``})`
}

/** A condition on the table `session`: nobody shared it with the viewer in person. */
export function notSharedWith(viewer: Viewer | undefined): RawBuilder<boolean> {
  return viewer === undefined ? sql<boolean>`1 = 1` : sql<boolean>`not ${isSharedWith(viewer.personId)}`
}

function isSharedWith(personId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from session_share where session_share.session_id = session.id
    and session_share.person_id = ${personId})`
}
