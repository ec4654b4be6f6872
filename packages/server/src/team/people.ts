import { createHash, randomBytes } from 'node:crypto'
import { NamedError, newId, type PersonInfo, type Role, type WorkspaceRight } from '@troupe/protocol'
import type { Db } from '../stores/sql/context.ts'
import type { Tables } from '../stores/sql/tables.ts'

/** Members and invitations of the organization, and their grants on workspaces. */
export type People = ReturnType<typeof createPeople>

const day = 24 * 60 * 60 * 1000
/** A member who was removed keeps a row, so that single sign-on does not let them in again. */
const removed = 'removed'

export function createPeople(db: Db, clock: () => number) {
  return {
    async role(personId: string): Promise<Role | undefined> {
      const row = await db
        .selectFrom('member')
        .select('role')
        .where('person_id', '=', personId)
        .where('role', '<>', removed)
        .executeTakeFirst()
      return row?.role as Role | undefined
    },

    async roles(): Promise<Map<string, { role: Role; createdAt: number }>> {
      const rows = await db
        .selectFrom('member')
        .selectAll()
        .where('role', '<>', removed)
        .orderBy('created_at')
        .execute()
      return new Map(rows.map((row) => [row.person_id, { role: row.role as Role, createdAt: row.created_at }]))
    },

    async hasOwner(): Promise<boolean> {
      return (await db.selectFrom('member').select('role').where('role', '=', 'owner').executeTakeFirst()) !== undefined
    },

    /** Also for a person who was removed and is invited again. */
    async add(personId: string, role: Role): Promise<void> {
      const row = { person_id: personId, role, created_at: clock(), mentions_seen_at: clock() }
      await db
        .insertInto('member')
        .values(row)
        .onConflict((conflict) => conflict.column('person_id').doUpdateSet({ role }))
        .execute()
    },

    /** Throws `LastOwner` (409). */
    async setRole(personId: string, role: Role | typeof removed): Promise<void> {
      await db.transaction().execute(async (inside) => {
        await inside.updateTable('member').set({ role }).where('person_id', '=', personId).execute()
        const owner = await inside.selectFrom('member').select('role').where('role', '=', 'owner').executeTakeFirst()
        if (owner === undefined) throw new NamedError('LastOwner', 'The organization needs an owner.', { status: 409 })
      })
    },

    remove(personId: string): Promise<void> {
      return this.setRole(personId, removed)
    },

    /** Forgets the shares and grants of a person, and gives their chats to another. Returns the chats. */
    async handOver(personId: string, to: string): Promise<string[]> {
      return db.transaction().execute(async (inside) => {
        const rows = await inside.selectFrom('session').select('id').where('owner_id', '=', personId).execute()
        await inside.updateTable('session').set({ owner_id: to }).where('owner_id', '=', personId).execute()
        await inside.deleteFrom('session_share').where('person_id', '=', personId).execute()
        await inside.deleteFrom('share_link').where('created_by', '=', personId).execute()
        await inside.deleteFrom('workspace_grant').where('subject', '=', `person:${personId}`).execute()
        await inside.deleteFrom('presence').where('person_id', '=', personId).execute()
        return rows.map(({ id }) => id)
      })
    },

    /** Creates a link that works once. `email` is '' for the link of the first owner. Returns its secret part. */
    async invite(invited: { email: string; role: Role; invitedBy: string | null; days: number }) {
      const { token, hash } = newToken()
      const row: Tables['invitation'] = {
        id: newId('inv_'),
        token_hash: hash,
        email: invited.email,
        role: invited.role,
        invited_by: invited.invitedBy,
        created_at: clock(),
        expires_at: clock() + invited.days * day,
      }
      // A new link replaces an older one for the same person.
      await db.transaction().execute(async (inside) => {
        await inside.deleteFrom('invitation').where('email', '=', invited.email).execute()
        await inside.insertInto('invitation').values(row).execute()
      })
      return { invitation: row, token }
    },

    /** The token of the link that creates the first owner. It is derived from an id, and valid for a day. */
    async setupToken(derive: (id: string) => string): Promise<string> {
      const known = await open().where('email', '=', '').executeTakeFirst()
      if (known !== undefined) return derive(known.id)
      const id = newId('inv_')
      const row = { id, token_hash: hashToken(derive(id)), email: '', role: 'owner', invited_by: null }
      await db.deleteFrom('invitation').where('email', '=', '').execute()
      await db
        .insertInto('invitation')
        .values({ ...row, created_at: clock(), expires_at: clock() + day })
        .execute()
      return derive(id)
    },

    invitation(token: string): Promise<Tables['invitation'] | undefined> {
      return open().where('token_hash', '=', hashToken(token)).executeTakeFirst()
    },

    invitationFor(email: string): Promise<Tables['invitation'] | undefined> {
      return open().where('email', '=', email).where('email', '<>', '').executeTakeFirst()
    },

    invitations(): Promise<Tables['invitation'][]> {
      return open().where('email', '<>', '').orderBy('created_at').execute()
    },

    /** Returns the invitation to exactly one of all callers. */
    take(id: string): Promise<Tables['invitation'] | undefined> {
      return db
        .deleteFrom('invitation')
        .where('id', '=', id)
        .where('expires_at', '>', clock())
        .returningAll()
        .executeTakeFirst()
    },

    /** Puts back an invitation that was taken but not used. */
    async giveBack(row: Tables['invitation']): Promise<void> {
      await db.insertInto('invitation').values(row).execute()
    },

    async withdraw(id: string): Promise<boolean> {
      const { numDeletedRows } = await db.deleteFrom('invitation').where('id', '=', id).executeTakeFirst()
      return numDeletedRows > 0n
    },

    async grants(workspaceId: string): Promise<{ subject: string; right: WorkspaceRight }[]> {
      const rows = await db
        .selectFrom('workspace_grant')
        .select(['subject', 'right'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('subject')
        .execute()
      return rows as { subject: string; right: WorkspaceRight }[]
    },

    async grant(workspaceId: string, subject: string, right: WorkspaceRight | null): Promise<void> {
      if (right === null) {
        await db
          .deleteFrom('workspace_grant')
          .where('workspace_id', '=', workspaceId)
          .where('subject', '=', subject)
          .execute()
        return
      }
      await db
        .insertInto('workspace_grant')
        .values({ workspace_id: workspaceId, subject, right })
        .onConflict((conflict) => conflict.columns(['workspace_id', 'subject']).doUpdateSet({ right }))
        .execute()
    },

    /** The rights that the grants of a workspace give a person, unordered. */
    async granted(workspaceId: string, { id, role }: PersonInfo): Promise<WorkspaceRight[]> {
      const rows = await db
        .selectFrom('workspace_grant')
        .select('right')
        .where('workspace_id', '=', workspaceId)
        .where('subject', 'in', [`person:${id}`, `role:${role}`])
        .execute()
      return rows.map(({ right }) => right as WorkspaceRight)
    },
  }

  function open() {
    return db.selectFrom('invitation').selectAll().where('expires_at', '>', clock())
  }
}

/** A secret of 32 random bytes. Only its hash is stored: nobody can use a copy of the database. */
export function newToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashToken(token) }
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
