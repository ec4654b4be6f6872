import type { Folder, Store } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { checkId, type Db, lockRow, shortId, type StoreChange, type StoreContext } from './context.ts'
import type { Tables } from './tables.ts'
import { cleanTitle } from './message-text.ts'
import { visibleTo } from './visible.ts'
import { workspaceNotFound } from './workspaces.ts'

export function folders(context: StoreContext): Store['folders'] {
  return {
    async list(workspaceId, viewer) {
      const rows = await context.db
        .selectFrom('folder')
        .leftJoin('session', (join) =>
          join
            .onRef('session.folder_id', '=', 'folder.id')
            .on('session.archived', '=', 0)
            .on('session.trashed_at', 'is', null)
            .on(visibleTo(viewer)),
        )
        .selectAll('folder')
        .select((eb) => eb.fn.count<number>('session.id').as('sessions'))
        .where('folder.workspace_id', '=', workspaceId)
        .groupBy('folder.id')
        .execute()
      const { compare } = new Intl.Collator(undefined, { numeric: true })
      return rows.map((row) => toFolder(row, Number(row.sessions))).sort((a, b) => compare(a.name, b.name))
    },

    async create({ id, workspaceId, name, parentFolderId = null }) {
      checkId(id, 'folder id')
      const row = {
        id,
        workspace_id: workspaceId,
        parent_id: parentFolderId,
        name: cleanName(name),
        created_at: context.clock(),
      }
      await context.write(async (db) => {
        const workspace = await db.selectFrom('workspace').select('id').where('id', '=', workspaceId).executeTakeFirst()
        if (!workspace) throw workspaceNotFound(workspaceId)
        if (parentFolderId !== null) await mustBeOuter(db, workspaceId, parentFolderId)
        const { numInsertedOrUpdatedRows } = await db
          .insertInto('folder')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst()
        if (numInsertedOrUpdatedRows !== 0n) return
        throw new NamedError('FolderExists', `A folder ${id} already exists.`, {
          status: 409,
          data: { folderId: id },
        })
      })
      return toFolder(row, 0)
    },

    async update(id, patch) {
      return context.write(async (db, changes) => {
        await lockRow(db, 'folder', id)
        const known = await mustExist(db, id)
        if (patch.parentFolderId != null) {
          const inner = await db.selectFrom('folder').select('id').where('parent_id', '=', id).executeTakeFirst()
          if (patch.parentFolderId === id || inner) throw tooDeep()
          await mustBeOuter(db, known.workspace_id, patch.parentFolderId)
        }
        const row = {
          ...known,
          name: patch.name === undefined ? known.name : cleanName(patch.name),
          parent_id: patch.parentFolderId === undefined ? known.parent_id : patch.parentFolderId,
        }
        await db.updateTable('folder').set(row).where('id', '=', id).execute()
        return toFolder(row, await markSessionsChanged(db, id, changes))
      })
    },

    async delete(id) {
      await context.write(async (db, changes) => {
        await lockRow(db, 'folder', id)
        const known = await mustExist(db, id)
        await markSessionsChanged(db, id, changes)
        await db.updateTable('session').set({ folder_id: known.parent_id }).where('folder_id', '=', id).execute()
        await db.updateTable('folder').set({ parent_id: known.parent_id }).where('parent_id', '=', id).execute()
        await db.deleteFrom('folder').where('id', '=', id).execute()
      })
    },
  }
}

export function folderNotFound(id: string): NamedError {
  return new NamedError('FolderNotFound', 'This folder does not exist.', {
    status: 404,
    data: { folderId: shortId(id) },
  })
}

function tooDeep(): NamedError {
  return new NamedError('FolderTooDeep', 'Folders can only be nested one level deep.', { status: 409 })
}

async function mustExist(db: Db, id: string): Promise<Tables['folder']> {
  const known = await db.selectFrom('folder').selectAll().where('id', '=', id).executeTakeFirst()
  if (!known) throw folderNotFound(id)
  return known
}

async function mustBeOuter(db: Db, workspaceId: string, id: string): Promise<void> {
  await lockRow(db, 'folder', id, 'share')
  const row = await mustExist(db, id)
  if (row.workspace_id !== workspaceId) throw folderNotFound(id)
  if (row.parent_id !== null) throw tooDeep()
}

/**
 * Marks the sessions in this folder and its subfolders for export, since their files contain folder names. Returns the
 * number of sessions directly in the folder that are neither archived nor trashed.
 */
async function markSessionsChanged(db: Db, folderId: string, changes: StoreChange[]): Promise<number> {
  const rows = await db
    .selectFrom('session')
    .innerJoin('folder', 'folder.id', 'session.folder_id')
    .select(['session.id', 'folder_id', 'archived', 'trashed_at'])
    .where((eb) => eb.or([eb('folder.id', '=', folderId), eb('folder.parent_id', '=', folderId)]))
    .execute()
  for (const { id } of rows) changes.push({ type: 'session', sessionId: id })
  return rows.filter((row) => row.folder_id === folderId && row.archived === 0 && row.trashed_at === null).length
}

function cleanName(name: string): string {
  const clean = cleanTitle(name).slice(0, 100).trim()
  if (clean === '') throw new NamedError('BadRequest', 'A folder needs a name.')
  return clean
}

function toFolder(row: Tables['folder'], sessionCount: number): Folder {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    parentFolderId: row.parent_id,
    name: row.name,
    sessionCount,
    createdAt: row.created_at,
  }
}
