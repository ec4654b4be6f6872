import type { Session, Store } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { sql } from 'kysely'
import {
  checkId,
  type Db,
  lockIfInside,
  lockRow,
  lockSession,
  sessionNotFound,
  shortId,
  statement,
  type StoreContext,
} from './context.ts'
import type { Tables } from './tables.ts'
import { folderNotFound } from './folders.ts'
import { cleanTitle, defaultTitle, fold, searchTerms } from './message-text.ts'
import { notSharedWith, visibleTo } from './visible.ts'
import { workspaceNotFound } from './workspaces.ts'
import { hiddenWorkspace, hideSession, purgeSession } from './hidden-sessions.ts'

const sessionsPerQuery = 100

export function sessions(context: StoreContext): Store['sessions'] {
  const { clock, search } = context

  async function get(id: string): Promise<Session | undefined> {
    await lockIfInside(context.db, id)
    const row = await findSession(context.db, id)
    return row && toSession(row)
  }

  return {
    get,

    async create(session) {
      checkId(session.id, 'session id')
      const now = session.createdAt ?? clock()
      const title = cleanTitle(session.title ?? '')
      const row: Tables['session'] = {
        id: session.id,
        workspace_id: session.workspaceId,
        project_id: session.projectId ?? null,
        title: title || defaultTitle,
        renamed: 0,
        untitled: title === '' ? 1 : 0,
        pinned: 0,
        archived: 0,
        folder_id: null,
        trashed_at: null,
        model: session.model ?? null,
        agent: session.agent ?? null,
        mode: session.mode ?? 'default',
        rules: '[]',
        params: JSON.stringify(session.params ?? {}),
        owner_id: session.ownerId ?? null,
        visibility: 'private',
        message_count: 0,
        seq: 0,
        last_number: 0,
        created_at: now,
        updated_at: now,
      }
      await context.write(async (db, changes) => {
        await insertSession(db, row)
        await search.index(db, { sessionId: row.id, messageId: '' }, fold(title))
        changes.push({ type: 'session', sessionId: row.id })
      })
      return toSession(row)
    },

    async list({ workspaceId, query, view, folderId, viewer, withoutShared, cursor, limit = 50 }) {
      const count = Math.max(1, Math.min(limit, 200))
      const pinnedFirst = view === 'active'
      const terms = searchTerms(query ?? '')
      const ids = terms.length === 0 ? undefined : await search.sessionsWith(context.db, { workspaceId, terms })
      if (ids?.length === 0) return { sessions: [], nextCursor: null }
      const page = (after: ReturnType<typeof parseCursor> | undefined, most: number) =>
        context.db
          .selectFrom('session')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('trashed_at', view === 'trashed' ? 'is not' : 'is', null)
          .$if(view === 'active' || view === 'archived', (select) =>
            select.where('archived', '=', view === 'archived' ? 1 : 0),
          )
          .$if(folderId !== undefined, (select) =>
            folderId === null ? select.where('folder_id', 'is', null) : select.where('folder_id', '=', folderId!),
          )
          .$if(viewer !== undefined, (select) => select.where(visibleTo(viewer)))
          .$if(withoutShared === true, (select) => select.where(notSharedWith(viewer)))
          .$if(ids !== undefined, (select) => select.where('id', 'in', ids!))
          .$if(after !== undefined, (select) =>
            pinnedFirst
              ? select.where(
                  sql<boolean>`(pinned, updated_at, id) < (${after?.pinned}, ${after?.updatedAt}, ${after?.id})`,
                )
              : select.where(sql<boolean>`(updated_at, id) < (${after?.updatedAt}, ${after?.id})`),
          )
          .$if(pinnedFirst, (select) => select.orderBy('pinned', 'desc'))
          .orderBy('updated_at', 'desc')
          .orderBy('id', 'desc')
          .limit(most)
          .execute()
      const rows: Tables['session'][] = []
      let after = cursor === undefined ? undefined : parseCursor(cursor)
      if (terms.length === 0 || ids !== undefined) rows.push(...(await page(after, count + 1)))
      else {
        // If most sessions match, scan from the newest until there are enough.
        while (rows.length <= count) {
          const some = await page(after, sessionsPerQuery)
          if (some.length === 0) break
          const matching = await search.among(
            context.db,
            some.map((row) => row.id),
            terms,
          )
          rows.push(...some.filter((row) => matching.has(row.id)))
          const last = some.at(-1)!
          after = { pinned: last.pinned, updatedAt: last.updated_at, id: last.id }
        }
      }
      const shownRows = rows.slice(0, count)
      return {
        sessions: shownRows.map(toSession),
        nextCursor: rows.length > count ? formatCursor(shownRows.at(-1)!, pinnedFirst) : null,
      }
    },

    async update(id, patch) {
      await context.write(async (db, changes) => {
        if (patch.folderId != null) await mustHaveFolder(db, id, patch.folderId)
        const title = patch.title === undefined ? undefined : cleanTitle(patch.title) || defaultTitle
        const { numUpdatedRows } = await db
          .updateTable('session')
          .set({
            id,
            ...(title !== undefined && { title, renamed: 1, untitled: 0 }),
            pinned: toBit(patch.pinned),
            archived: toBit(patch.archived),
            folder_id: patch.folderId,
            trashed_at: patch.trashed === undefined ? undefined : patch.trashed ? clock() : null,
            model: patch.model,
            agent: patch.agent,
            mode: patch.mode,
            rules: patch.rules && JSON.stringify(patch.rules),
            params: patch.params && JSON.stringify(patch.params),
            project_id: patch.projectId,
            owner_id: patch.ownerId,
            visibility: patch.visibility,
          })
          .where('id', '=', id)
          .where('workspace_id', '<>', hiddenWorkspace)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw sessionNotFound(id)
        if (title !== undefined) await search.index(db, { sessionId: id, messageId: '' }, fold(title))
        changes.push({ type: 'session', sessionId: id })
      })
      return (await get(id))!
    },

    async trashedBefore(time) {
      const rows = await context.db
        .selectFrom('session')
        .select('id')
        .where('trashed_at', '<', time)
        .where('workspace_id', '<>', hiddenWorkspace)
        .orderBy('trashed_at')
        .execute()
      return rows.map((row) => row.id)
    },

    async delete(id) {
      await context.write(async (db, changes) => {
        await lockSession(db, id)
        if ((await findSession(db, id)) === undefined) throw sessionNotFound(id)
        await hideSession(db, id)
        changes.push({ type: 'session-deleted', sessionId: id })
      })
      await context.serialize(id, () => purgeSession(context, id))
    },
  }
}

const selectSession = statement((db, { id }: { id: string }) =>
  db.selectFrom('session').selectAll().where('id', '=', id).where('workspace_id', '<>', hiddenWorkspace),
)

async function findSession(db: Db, id: string): Promise<Tables['session'] | undefined> {
  return (await selectSession(db, { id })).rows[0]
}

async function mustHaveFolder(db: Db, sessionId: string, folderId: string): Promise<void> {
  await lockRow(db, 'folder', folderId, 'share')
  const found = await db
    .selectFrom('folder')
    .innerJoin('session', 'session.workspace_id', 'folder.workspace_id')
    .select('folder.id')
    .where('folder.id', '=', folderId)
    .where('session.id', '=', sessionId)
    .executeTakeFirst()
  if (!found) throw folderNotFound(folderId)
}

/** Throws `SessionExists`, `WorkspaceNotFound`. */
export async function insertSession(db: Db, row: Tables['session']): Promise<void> {
  const { rows } = await selectWorkspaceId(db, { id: row.workspace_id })
  if (rows.length === 0) throw workspaceNotFound(row.workspace_id)
  const { numAffectedRows } = await addSession(db, row)
  if (numAffectedRows === 0n) {
    throw new NamedError('SessionExists', `A chat ${row.id} already exists.`, {
      status: 409,
      data: { sessionId: row.id },
    })
  }
}

const selectWorkspaceId = statement((db, { id }: { id: string }) =>
  db.selectFrom('workspace').select('id').where('id', '=', id),
)

const addSession = statement((db, row: Tables['session']) =>
  db
    .insertInto('session')
    .values({
      id: row.id,
      workspace_id: row.workspace_id,
      project_id: row.project_id,
      title: row.title,
      renamed: row.renamed,
      untitled: row.untitled,
      pinned: row.pinned,
      archived: row.archived,
      folder_id: row.folder_id,
      trashed_at: row.trashed_at,
      model: row.model,
      agent: row.agent,
      mode: row.mode,
      rules: row.rules,
      params: row.params,
      owner_id: row.owner_id,
      visibility: row.visibility,
      message_count: row.message_count,
      seq: row.seq,
      last_number: row.last_number,
      created_at: row.created_at,
      updated_at: row.updated_at,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/**
 * Returns the next position in the session's order. On databases with many writers, also locks the session for this
 * commit.
 */
export async function nextSeq(db: Db, sessionId: string): Promise<Pick<Tables['session'], 'seq' | 'untitled'>> {
  const row = (await raiseSeq(db, { sessionId })).rows[0]
  if (!row) throw sessionNotFound(sessionId)
  return row
}

const raiseSeq = statement((db, { sessionId }: { sessionId: string }) =>
  db
    .updateTable('session')
    .set((eb) => ({ seq: eb('seq', '+', 1) }))
    .where('id', '=', sessionId)
    .returning(['seq', 'untitled']),
)

function toBit(value: boolean | undefined): 0 | 1 | undefined {
  return value === undefined ? undefined : value ? 1 : 0
}

export function toSession(row: Tables['session']): Session {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    title: row.title,
    renamed: row.renamed === 1,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    folderId: row.folder_id,
    trashedAt: row.trashed_at,
    model: row.model,
    agent: row.agent,
    mode: row.mode as Session['mode'],
    rules: JSON.parse(row.rules) as Session['rules'],
    params: row.params === '{}' ? undefined : (JSON.parse(row.params) as Session['params']),
    ownerId: row.owner_id,
    visibility: row.visibility as Session['visibility'],
    messageCount: row.message_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** With pinned sessions first, the cursor records if it is among them. */
function formatCursor(row: Tables['session'], pinnedFirst: boolean): string {
  return `${pinnedFirst ? `${row.pinned}.` : ''}${row.updated_at}.${row.id}`
}

function parseCursor(cursor: string): { pinned: number; updatedAt: number; id: string } {
  const match = /^(?:([01])\.)?(\d{1,15})\.([A-Za-z0-9_-]{1,64})$/.exec(cursor)
  if (!match) throw new NamedError('InvalidCursor', `The cursor ${shortId(cursor)} is invalid.`, { status: 400 })
  return { pinned: Number(match[1] ?? 0), updatedAt: Number(match[2]), id: match[3]! }
}
