import type { Blobs, MediaRequest } from '@troupe/core'
import type { BlobScopes, Principal, Rights } from '../http/principal.ts'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { createLimits, type Limits } from './limits.ts'
import { createPeople, type People } from './people.ts'
import { createRights } from './rights.ts'
import { createSharing, type SharingStore } from './sharing.ts'

/** Data of team mode in the database, apart from accounts. */
export interface TeamData {
  people: People
  sharing: SharingStore
  limits: Limits
  rightsOf(principal: Principal): Rights
  blobs: TeamBlobs
  mediaBlobs(request: Pick<MediaRequest, 'sessionId' | 'ownerId'>): Blobs
}

export interface TeamBlobs extends BlobScopes {
  canRead(principal: Principal, sha256: string): Promise<boolean>
  /** True if the caller uploaded it, and nobody else. */
  isOnlyOf(principal: Principal, sha256: string): Promise<boolean>
}

interface TeamDataOptions {
  store: SqlStore
  blobs: Blobs
  grantedAs(workspaceId: string): string
  clock?: () => number
}

export function createTeamData({ store, blobs, grantedAs, clock = () => Date.now() }: TeamDataOptions): TeamData {
  const people = createPeople(store.db, clock)
  const sharing = createSharing(store.db, clock)
  const rightsOf = createRights({ people, sharing, grantedAs })
  const scopes = createBlobScopes({ store, blobs, rightsOf })
  return {
    people,
    sharing,
    limits: createLimits(store.db, clock),
    rightsOf,
    blobs: scopes,
    mediaBlobs: ({ sessionId, ownerId }) =>
      sessionId !== undefined ? scopes.session(sessionId) : scopes.ofPerson(ownerId ?? ''),
  }
}

/** Chats with the same blob that are looked at before it counts as unreachable. */
const mostChats = 200

function createBlobScopes(options: { store: SqlStore; blobs: Blobs; rightsOf(principal: Principal): Rights }) {
  const { store, blobs, rightsOf } = options
  const { db } = store

  const scopes = {
    of(principal: Principal): Blobs {
      if (principal.kind === 'local') return blobs
      return limited(
        (sha256) => scopes.canRead(principal, sha256),
        (sha256) => (principal.kind === 'person' ? claim(principal.person.id, sha256) : Promise.resolve()),
      )
    },
    ofPerson: (personId: string): Blobs =>
      limited(
        (sha256) => isUploader(personId, sha256),
        (sha256) => claim(personId, sha256),
      ),
    session: (sessionId: string): Blobs =>
      limited(
        (sha256) => isInSession(sessionId, sha256),
        (sha256) => scopes.attach(sessionId, [sha256]),
      ),
    async attach(sessionId: string, hashes: readonly string[]): Promise<void> {
      for (const sha256 of new Set(hashes))
        await db
          .insertInto('session_blob')
          .values({ sha256, session_id: sessionId })
          .onConflict((conflict) => conflict.columns(['sha256', 'session_id']).doNothing())
          .execute()
    },
    async copy(from: string, to: string): Promise<void> {
      const rows = await db.selectFrom('session_blob').select('sha256').where('session_id', '=', from).execute()
      await scopes.attach(
        to,
        rows.map((row) => row.sha256),
      )
    },
    async canRead(principal: Principal, sha256: string): Promise<boolean> {
      if (principal.kind === 'local') return true
      if (principal.kind === 'link') return isInSession(principal.sessionId, sha256)
      if (principal.kind !== 'person') return false
      if (await isUploader(principal.person.id, sha256)) return true
      const rights = rightsOf(principal)
      const rows = await db
        .selectFrom('session_blob')
        .select('session_id')
        .where('sha256', '=', sha256)
        .limit(mostChats)
        .execute()
      for (const { session_id: id } of rows) {
        const session = await store.sessions.get(id)
        if (session !== undefined && (await rights.session(session)) !== undefined) return true
      }
      return false
    },
    async isOnlyOf(principal: Principal, sha256: string): Promise<boolean> {
      if (principal.kind !== 'person') return principal.kind === 'local'
      const rows = await db.selectFrom('person_blob').select('person_id').where('sha256', '=', sha256).execute()
      const used = await db.selectFrom('session_blob').select('sha256').where('sha256', '=', sha256).executeTakeFirst()
      return used === undefined && rows.length === 1 && rows[0]?.person_id === principal.person.id
    },
  }
  return scopes

  function limited(mayRead: (sha256: string) => Promise<boolean>, onPut: (sha256: string) => Promise<void>): Blobs {
    return {
      async put(bytes, mediaType) {
        const blob = await blobs.put(bytes, mediaType)
        await onPut(blob.sha256)
        return blob
      },
      get: async (sha256) => ((await mayRead(sha256)) ? blobs.get(sha256) : undefined),
      fileOf: async (sha256) => ((await mayRead(sha256)) ? blobs.fileOf?.(sha256) : undefined),
    }
  }

  async function claim(personId: string, sha256: string): Promise<void> {
    await db
      .insertInto('person_blob')
      .values({ sha256, person_id: personId })
      .onConflict((conflict) => conflict.columns(['sha256', 'person_id']).doNothing())
      .execute()
  }

  async function isUploader(personId: string, sha256: string): Promise<boolean> {
    const own = db.selectFrom('person_blob').select('sha256').where('sha256', '=', sha256)
    return (await own.where('person_id', '=', personId).executeTakeFirst()) !== undefined
  }

  async function isInSession(sessionId: string, sha256: string): Promise<boolean> {
    const found = db.selectFrom('session_blob').select('sha256').where('sha256', '=', sha256)
    return (await found.where('session_id', '=', sessionId).executeTakeFirst()) !== undefined
  }
}
