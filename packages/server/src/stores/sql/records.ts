import type { Records, Store } from '@troupe/core'
import type { StoreContext } from './context.ts'
import { workspaceNotFound } from './workspaces.ts'

/** Small documents of a workspace, by name. */
export function records(context: StoreContext, table: 'definition'): Records {
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
      const rows = await context.db
        .selectFrom(table)
        .select(['name', 'data'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('name')
        .execute()
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

export function settings(context: StoreContext): Store['settings'] {
  return {
    async get(key) {
      const row = await context.db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
      return row && (JSON.parse(row.value) as unknown)
    },

    async set(key, value) {
      await context.write(async (db) => {
        if (value === undefined) {
          await db.deleteFrom('setting').where('key', '=', key).execute()
          return
        }
        const text = JSON.stringify(value)
        await db
          .insertInto('setting')
          .values({ key, value: text })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
          .execute()
      })
    },
  }
}
