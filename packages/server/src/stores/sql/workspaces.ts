import { basename, resolve, sep } from 'node:path'
import type { Project, Records, Store, Viewer, Workspace } from '@troupe/core'
import { NamedError, newId } from '@troupe/protocol'
import { sql } from 'kysely'
import { type Db, lockRow, statement, type StoreContext } from './context.ts'
import { hiddenWorkspace, newWorkspace } from './hidden-sessions.ts'
import type { Tables } from './tables.ts'
import { visibleTo } from './visible.ts'

export function workspaces(context: StoreContext): Store['workspaces'] {
  const { clock } = context

  async function get(id: string): Promise<Workspace | undefined> {
    const row = (await selectWorkspace(context.db, { id })).rows[0]
    return row && toWorkspace(row)
  }

  return {
    get,

    async open(path) {
      const folder = resolve(path)
      const find = () =>
        context.db
          .selectFrom('workspace')
          .selectAll()
          .where('path', '=', folder)
          .where('place', '=', context.place)
          .executeTakeFirst()
      const known = await find()
      if (known) return toWorkspace(known)
      await context.write((db) =>
        db
          .insertInto('workspace')
          .values({ ...newWorkspace, id: newId('w_'), path: folder, created_at: clock(), place: context.place })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      )
      return toWorkspace((await find())!)
    },

    async list() {
      return (await selectWorkspaces(context.db, {})).rows.map(toWorkspace)
    },

    async recent(limit = 100, viewer) {
      const { rows } = viewer === undefined ? await selectRecent(context.db, {}) : await recentOf(context.db, viewer)
      const found = rows.map((row) => ({
        ...toWorkspace(row),
        sessionCount: Number(row.session_count),
        usedAt: Math.max(row.created_at, row.opened_at ?? 0, Number(row.last_chat ?? 0)),
      }))
      return found.toSorted((a, b) => b.usedAt - a.usedAt).slice(0, limit)
    },

    async setListed(id, listed) {
      const change = listed ? { unlisted: 0, opened_at: clock() } : { unlisted: 1 }
      const { numUpdatedRows } = await context.write((db) =>
        db.updateTable('workspace').set(change).where('id', '=', id).executeTakeFirst(),
      )
      if (numUpdatedRows === 0n) throw workspaceNotFound(id)
    },

    async identified(identity) {
      const rows = await context.db.selectFrom('workspace').selectAll().where('identity', '=', identity).execute()
      return rows.map(toWorkspace)
    },

    async identify(id, identity) {
      return context.write(async (db) => {
        await lockRow(db, 'workspace', id)
        const row = (await selectWorkspace(db, { id })).rows[0]
        if (row === undefined) throw workspaceNotFound(id)
        if (row.identity === identity) return toWorkspace(row)
        // A folder that was trusted before identities were kept.
        if (row.identity === null && row.trusted === 1) await addTrusted(db, { identity, path: row.path })
        const known = await db
          .selectFrom('trusted_folder')
          .select('identity')
          .where('identity', '=', identity)
          .executeTakeFirst()
        const next = { identity, trusted: known === undefined ? 0 : 1 }
        await db.updateTable('workspace').set(next).where('id', '=', id).execute()
        return toWorkspace({ ...row, ...next })
      })
    },

    async move(id, path) {
      const folder = resolve(path)
      return context.write(async (db) => {
        await lockRow(db, 'workspace', id)
        const row = (await selectWorkspace(db, { id })).rows[0]
        if (row === undefined) throw workspaceNotFound(id)
        const other = await db.selectFrom('workspace').select('id').where('path', '=', folder).executeTakeFirst()
        if (other !== undefined && other.id !== id)
          throw new NamedError('WorkspaceExists', 'Another workspace has this path.', { status: 409 })
        await db.updateTable('workspace').set({ path: folder }).where('id', '=', id).execute()
        await db
          .updateTable('project')
          .set({ path: sql<string>`cast(${folder} as text) || substr(path, length(cast(${row.path} as text)) + 1)` })
          .where('workspace_id', '=', id)
          .execute()
        return toWorkspace({ ...row, path: folder })
      })
    },

    async openProject(workspaceId, path, name) {
      const workspace = await get(workspaceId)
      if (!workspace) throw workspaceNotFound(workspaceId)
      const folder = resolve(workspace.path, path)
      if (!isInside(folder, workspace.path)) {
        throw new NamedError('OutsideWorkspace', 'A project must be inside its workspace.', { status: 400 })
      }
      return context.write(async (db) => {
        await lockRow(db, 'workspace', workspaceId)
        const rows = await db.selectFrom('project').selectAll().where('workspace_id', '=', workspaceId).execute()
        const known = rows.find((row) => row.path === folder)
        if (known) {
          if (name === undefined || name === known.name) return toProject(known)
          await db.updateTable('project').set({ name }).where('id', '=', known.id).execute()
          return toProject({ ...known, name })
        }
        const around = nearestAround(folder, rows)
        const row = {
          id: newId('p_'),
          workspace_id: workspaceId,
          parent_id: around?.id ?? null,
          path: folder,
          name: name ?? null,
          created_at: clock(),
        }
        await db.insertInto('project').values(row).execute()
        // Projects inside the new one become its children.
        const inside = rows.filter((other) => isInside(other.path, folder) && other.parent_id === row.parent_id)
        if (inside.length > 0)
          await db
            .updateTable('project')
            .set({ parent_id: row.id })
            .where(
              'id',
              'in',
              inside.map(({ id }) => id),
            )
            .execute()
        return toProject(row)
      })
    },

    async projects(workspaceId) {
      const rows = await context.db
        .selectFrom('project')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .orderBy('path')
        .execute()
      return rows.map(toProject)
    },

    async forgetProject(workspaceId, id) {
      await context.write(async (db, changes) => {
        const row = await db
          .selectFrom('project')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .executeTakeFirst()
        if (row === undefined)
          throw new NamedError('ProjectNotFound', 'This project does not exist in this workspace.', {
            status: 404,
            data: { projectId: id },
          })
        const moved = await db
          .updateTable('session')
          .set({ project_id: row.parent_id })
          .where('project_id', '=', id)
          .returning('id')
          .execute()
        await db.updateTable('project').set({ parent_id: row.parent_id }).where('parent_id', '=', id).execute()
        await db.deleteFrom('project').where('id', '=', id).execute()
        for (const session of moved) changes.push({ type: 'session', sessionId: session.id })
      })
    },

    async trust(id, trusted) {
      await context.write(async (db) => {
        await lockRow(db, 'workspace', id)
        const row = (await selectWorkspace(db, { id })).rows[0]
        if (row === undefined) throw workspaceNotFound(id)
        await db
          .updateTable('workspace')
          .set({ trusted: trusted ? 1 : 0 })
          .where('id', '=', id)
          .execute()
        const { identity, path } = row
        if (identity === null) return
        if (trusted) await addTrusted(db, { identity, path })
        else await db.deleteFrom('trusted_folder').where('identity', '=', identity).execute()
        // The same folder at another path, through a link or a mount.
        await db
          .updateTable('workspace')
          .set({ trusted: trusted ? 1 : 0 })
          .where('identity', '=', identity)
          .execute()
      })
    },
  }

  async function addTrusted(db: Db, { identity, path }: { identity: string; path: string }): Promise<void> {
    await db
      .insertInto('trusted_folder')
      .values({ identity, path, trusted_at: clock() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

const selectRecent = statement((db) => recentQuery(db, undefined))

async function recentOf(db: Db, viewer: Viewer) {
  return { rows: await recentQuery(db, viewer).execute() }
}

function recentQuery(db: Db, viewer: Viewer | undefined) {
  return db
    .selectFrom('workspace')
    .leftJoin(
      (sessions) =>
        sessions
          .selectFrom('session')
          .select(({ fn }) => ['workspace_id', fn.countAll().as('session_count'), fn.max('updated_at').as('last_chat')])
          .where('archived', '=', 0)
          .where('trashed_at', 'is', null)
          .where(visibleTo(viewer))
          .groupBy('workspace_id')
          .as('active'),
      (join) => join.onRef('active.workspace_id', '=', 'workspace.id'),
    )
    .selectAll('workspace')
    .select(({ fn }) => [fn.coalesce('active.session_count', sql<number>`0`).as('session_count'), 'active.last_chat'])
    .where('workspace.id', '<>', hiddenWorkspace)
    .where('unlisted', '=', 0)
}

const selectWorkspaces = statement((db) =>
  db.selectFrom('workspace').selectAll().where('id', '<>', hiddenWorkspace).orderBy('created_at').orderBy('id'),
)

const selectWorkspace = statement((db, { id }: { id: string }) =>
  db.selectFrom('workspace').selectAll().where('id', '=', id),
)

export function workspaceNotFound(id: string): NamedError {
  return new NamedError('WorkspaceNotFound', 'This workspace does not exist.', {
    status: 404,
    data: { workspaceId: id.slice(0, 80) },
  })
}

function nearestAround(folder: string, rows: Tables['project'][]): Tables['project'] | undefined {
  return rows.filter((row) => isInside(folder, row.path)).sort((a, b) => b.path.length - a.path.length)[0]
}

function isInside(folder: string, around: string): boolean {
  return folder === around || folder.startsWith(around.endsWith(sep) ? around : around + sep)
}

function toWorkspace(row: Tables['workspace']): Workspace {
  return {
    id: row.id,
    path: row.path,
    trusted: row.trusted === 1,
    createdAt: row.created_at,
    identity: row.identity,
    listed: row.unlisted === 0,
    ...(row.place !== '' && { place: row.place }),
  }
}

function toProject(row: Tables['project']): Project {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    parentProjectId: row.parent_id,
    name: row.name ?? (basename(row.path) || row.path),
    path: row.path,
    createdAt: row.created_at,
  }
}

/** Small JSON documents of a workspace by name. */
export function records(context: StoreContext, table: 'definition'): Records {
  const selectRecords = statement((db, { workspaceId }: { workspaceId: string }) =>
    db.selectFrom(table).select(['name', 'data']).where('workspace_id', '=', workspaceId).orderBy('name'),
  )
  return {
    async put({ workspaceId, name, data }) {
      const text = JSON.stringify(data)
      await context.write(async (db) => {
        const workspace = await db.selectFrom('workspace').select('id').where('id', '=', workspaceId).executeTakeFirst()
        if (!workspace) throw workspaceNotFound(workspaceId)
        await db
          .insertInto(table)
          .values({ workspace_id: workspaceId, name, data: text })
          .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doUpdateSet({ data: text }))
          .execute()
      })
    },

    async get(workspaceId, name) {
      const row = await context.db
        .selectFrom(table)
        .select('data')
        .where('workspace_id', '=', workspaceId)
        .where('name', '=', name)
        .executeTakeFirst()
      return row && (JSON.parse(row.data) as Record<string, unknown>)
    },

    async list(workspaceId) {
      const { rows } = await selectRecords(context.db, { workspaceId })
      return rows.map((row) => ({ name: row.name, data: JSON.parse(row.data) as Record<string, unknown> }))
    },

    async remove(workspaceId, name) {
      const { numDeletedRows } = await context.write((db) =>
        db.deleteFrom(table).where('workspace_id', '=', workspaceId).where('name', '=', name).executeTakeFirst(),
      )
      return numDeletedRows > 0n
    },
  }
}
