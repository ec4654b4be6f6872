import { resolve, sep } from 'node:path'
import { NamedError, newId } from '@troupe/core'
import type { Project, Store, Workspace } from '@troupe/core'
import type { StoreContext } from './context.ts'
import { hiddenWorkspace } from './hidden-sessions.ts'
import type { Tables } from './tables.ts'

export function workspaces(context: StoreContext): Store['workspaces'] {
  const { clock } = context

  async function get(id: string): Promise<Workspace | undefined> {
    const row = await context.db.selectFrom('workspace').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toWorkspace(row)
  }

  return {
    get,

    async open(path) {
      const folder = resolve(path)
      const find = () => context.db.selectFrom('workspace').selectAll().where('path', '=', folder).executeTakeFirst()
      const known = await find()
      if (known) return toWorkspace(known)
      await context.write((db) =>
        db
          .insertInto('workspace')
          .values({ id: newId('w_'), path: folder, trusted: 0, created_at: clock() })
          .onConflict((conflict) => conflict.column('path').doNothing())
          .execute(),
      )
      return toWorkspace((await find())!)
    },

    async list() {
      const rows = await context.db
        .selectFrom('workspace')
        .selectAll()
        .where('id', '<>', hiddenWorkspace)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toWorkspace)
    },

    async openProject(workspaceId, path) {
      const workspace = await get(workspaceId)
      if (!workspace) throw workspaceNotFound(workspaceId)
      const folder = resolve(workspace.path, path)
      if (!isInside(folder, workspace.path)) {
        throw new NamedError('OutsideWorkspace', 'A project must lie inside its workspace.', { status: 400 })
      }
      return context.write(async (db) => {
        const rows = await db.selectFrom('project').selectAll().where('workspace_id', '=', workspaceId).execute()
        const known = rows.find((row) => row.path === folder)
        if (known) return toProject(known)
        const around = nearestAround(folder, rows)
        const row = {
          id: newId('p_'),
          workspace_id: workspaceId,
          parent_id: around?.id ?? null,
          path: folder,
          created_at: clock(),
        }
        await db.insertInto('project').values(row).execute()
        // Projects that this one now lies around move below it.
        for (const other of rows) {
          if (!isInside(other.path, folder) || other.parent_id !== row.parent_id) continue
          await db.updateTable('project').set({ parent_id: row.id }).where('id', '=', other.id).execute()
        }
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

    async trust(id, trusted) {
      const { numUpdatedRows } = await context.write((db) =>
        db
          .updateTable('workspace')
          .set({ trusted: trusted ? 1 : 0 })
          .where('id', '=', id)
          .executeTakeFirst(),
      )
      if (numUpdatedRows === 0n) throw workspaceNotFound(id)
    },
  }
}

export function workspaceNotFound(id: string): NamedError {
  return new NamedError('WorkspaceNotFound', 'There is no such workspace.', {
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
  return { id: row.id, path: row.path, trusted: row.trusted === 1, createdAt: row.created_at }
}

function toProject(row: Tables['project']): Project {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    parentProjectId: row.parent_id,
    path: row.path,
    createdAt: row.created_at,
  }
}
