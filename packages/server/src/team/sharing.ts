import type { Session } from '@troupe/core'
import { NamedError, newId, type ShareRight } from '@troupe/protocol'
import type { Db } from '../stores/sql/context.ts'
import type { Tables } from '../stores/sql/tables.ts'
import { toSession } from '../stores/sql/sessions.ts'
import { hashToken, newToken } from './people.ts'

/** Shares, links, comments and watchers of chats. */
export type SharingStore = ReturnType<typeof createSharing>

const day = 24 * 60 * 60 * 1000
const mostLinks = 50
const mostComments = 2000
const mostListed = 200
/** Pages report every 20 seconds that they still show a chat. */
const presenceMs = 45_000

export function createSharing(db: Db, clock: () => number) {
  const selectLink = () => db.selectFrom('share_link').selectAll().where('expires_at', '>', clock())

  return {
    async right(sessionId: string, personId: string): Promise<ShareRight | undefined> {
      const row = await db
        .selectFrom('session_share')
        .select('right')
        .where('session_id', '=', sessionId)
        .where('person_id', '=', personId)
        .executeTakeFirst()
      return row?.right as ShareRight | undefined
    },

    async shares(sessionId: string): Promise<{ personId: string; right: ShareRight }[]> {
      const rows = await db
        .selectFrom('session_share')
        .selectAll()
        .where('session_id', '=', sessionId)
        .orderBy('created_at')
        .execute()
      return rows.map((row) => ({ personId: row.person_id, right: row.right as ShareRight }))
    },

    async share(sessionId: string, personId: string, right: ShareRight | null): Promise<void> {
      if (right === null) {
        const shares = db.deleteFrom('session_share').where('session_id', '=', sessionId)
        await shares.where('person_id', '=', personId).execute()
        return
      }
      await db
        .insertInto('session_share')
        .values({ session_id: sessionId, person_id: personId, right, created_at: clock() })
        .onConflict((conflict) => conflict.columns(['session_id', 'person_id']).doUpdateSet({ right }))
        .execute()
    },

    /** Chats that others shared with this person, newest first. */
    async sharedWith(personId: string): Promise<{ session: Session; right: ShareRight }[]> {
      const rows = await db
        .selectFrom('session_share')
        .innerJoin('session', 'session.id', 'session_share.session_id')
        .selectAll('session')
        .select('session_share.right as share_right')
        .where('session_share.person_id', '=', personId)
        .where('session.trashed_at', 'is', null)
        .orderBy('session.updated_at', 'desc')
        .limit(mostListed)
        .execute()
      return rows.map((row) => ({ session: toSession(row), right: row.share_right as ShareRight }))
    },

    links: (sessionId: string) => selectLink().where('session_id', '=', sessionId).orderBy('created_at').execute(),

    /** Throws `TooManyLinks` (409). Returns the secret part, which is not stored. */
    async createLink(sessionId: string, createdBy: string, days: number) {
      if ((await this.links(sessionId)).length >= mostLinks)
        throw new NamedError('TooManyLinks', `A chat can have ${mostLinks} links. Revoke some first.`, { status: 409 })
      const { token, hash } = newToken()
      const row: Tables['share_link'] = {
        id: newId('lnk_'),
        session_id: sessionId,
        token_hash: hash,
        created_by: createdBy,
        created_at: clock(),
        expires_at: clock() + days * day,
      }
      await db.insertInto('share_link').values(row).execute()
      return { link: row, token }
    },

    /** The chat of a link that still works. Links to chats in the trash do not. */
    linkByToken: (token: string) => linkWhere('token_hash', hashToken(token)),
    linkById: (id: string) => linkWhere('id', id),

    async revoke(sessionId: string, linkId: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('share_link')
        .where('session_id', '=', sessionId)
        .where('id', '=', linkId)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    async comments(sessionId: string): Promise<(Tables['comment'] & { mentions: string[] })[]> {
      const rows = db.selectFrom('comment').selectAll().where('session_id', '=', sessionId)
      return withMentions(await rows.orderBy('created_at').orderBy('id').limit(mostComments).execute())
    },

    /** Throws `TooManyComments` (409). */
    async comment(given: { sessionId: string; messageId: string; authorId: string; text: string; mentions: string[] }) {
      const row: Tables['comment'] = {
        id: newId('cmt_'),
        session_id: given.sessionId,
        message_id: given.messageId,
        author_id: given.authorId,
        text: given.text,
        created_at: clock(),
      }
      await db.transaction().execute(async (inside) => {
        const { count } = await inside
          .selectFrom('comment')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('session_id', '=', given.sessionId)
          .executeTakeFirstOrThrow()
        if (Number(count) >= mostComments)
          throw new NamedError('TooManyComments', 'This chat has too many comments.', { status: 409 })
        await inside.insertInto('comment').values(row).execute()
        for (const person_id of new Set(given.mentions))
          await inside.insertInto('comment_mention').values({ comment_id: row.id, person_id }).execute()
      })
      return { ...row, mentions: [...new Set(given.mentions)] }
    },

    /** Deletes a comment of its author, or of anyone. */
    async uncomment(sessionId: string, id: string, authorId: string | undefined): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('comment')
        .where('session_id', '=', sessionId)
        .where('id', '=', id)
        .$if(authorId !== undefined, (query) => query.where('author_id', '=', authorId!))
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Comments that mention a person, newest first, and the time up to which they have seen them. */
    async mentions(personId: string) {
      const rows = await db
        .selectFrom('comment_mention')
        .innerJoin('comment', 'comment.id', 'comment_mention.comment_id')
        .selectAll('comment')
        .where('comment_mention.person_id', '=', personId)
        .orderBy('comment.created_at', 'desc')
        .limit(mostListed)
        .execute()
      const member = await db
        .selectFrom('member')
        .select('mentions_seen_at')
        .where('person_id', '=', personId)
        .executeTakeFirst()
      return { comments: await withMentions(rows), seenAt: member?.mentions_seen_at ?? 0 }
    },

    async seeMentions(personId: string): Promise<void> {
      await db.updateTable('member').set({ mentions_seen_at: clock() }).where('person_id', '=', personId).execute()
    },

    /** Notes that a person watches a chat, or no longer does. Returns who does now, and whether that changed. */
    async watch(sessionId: string, personId: string, isLeaving: boolean) {
      const now = clock()
      const live = () =>
        db
          .selectFrom('presence')
          .selectAll()
          .where('session_id', '=', sessionId)
          .where('seen_at', '>', now - presenceMs)
          .orderBy('since')
          .execute()
      const before = await live()
      const own = { session_id: sessionId, person_id: personId }
      if (isLeaving)
        await db.deleteFrom('presence').where('session_id', '=', sessionId).where('person_id', '=', personId).execute()
      else
        await db
          .insertInto('presence')
          .values({ ...own, since: now, seen_at: now })
          .onConflict((conflict) =>
            conflict.columns(['session_id', 'person_id']).doUpdateSet({
              seen_at: now,
              ...(before.some((one) => one.person_id === personId) ? {} : { since: now }),
            }),
          )
          .execute()
      const people = await live()
      return {
        people,
        isChanged: people.map((one) => one.person_id).join() !== before.map((one) => one.person_id).join(),
      }
    },
  }

  async function linkWhere(column: 'token_hash' | 'id', value: string) {
    const link = await selectLink().where(column, '=', value).executeTakeFirst()
    if (link === undefined) return undefined
    const session = await db
      .selectFrom('session')
      .selectAll()
      .where('id', '=', link.session_id)
      .where('trashed_at', 'is', null)
      .executeTakeFirst()
    return session === undefined ? undefined : { link, session: toSession(session) }
  }

  async function withMentions(rows: Tables['comment'][]): Promise<(Tables['comment'] & { mentions: string[] })[]> {
    if (rows.length === 0) return []
    const found = await db
      .selectFrom('comment_mention')
      .selectAll()
      .where(
        'comment_id',
        'in',
        rows.map((row) => row.id),
      )
      .execute()
    const byComment = Map.groupBy(found, (one) => one.comment_id)
    return rows.map((row) => ({ ...row, mentions: (byComment.get(row.id) ?? []).map((one) => one.person_id) }))
  }
}
