import type { Store } from '@troupe/core'
import { type Db, lockKey, statement, type StoreContext } from './context.ts'
import type { Tables } from './tables.ts'

export function settings(context: StoreContext): Store['settings'] {
  return {
    async get(key) {
      if (context.db.isTransaction) await lockSetting(context.db, key)
      return read(context.db, key)
    },
    async set(key, value) {
      await context.write((db) => write(db, key, value))
    },
    async update(key, change) {
      await context.write(async (db) => {
        await lockSetting(db, key)
        await write(db, key, change(await read(db, key)))
      })
    },
  }

  async function read(db: Db, key: string): Promise<unknown> {
    const row = (await selectSetting(db, { key })).rows[0]
    return row && (JSON.parse(row.value) as unknown)
  }

  async function write(db: Db, key: string, value: unknown): Promise<void> {
    if (value === undefined) await db.deleteFrom('setting').where('key', '=', key).execute()
    else await upsertSetting(db, { key, value: JSON.stringify(value) })
  }
}

/** Call before reading a value that the same commit replaces. */
export function lockSetting(db: Db, key: string): Promise<void> {
  return lockKey(db, `setting:${key}`)
}

const upsertSetting = statement((db, { key, value }: Tables['setting']) =>
  db
    .insertInto('setting')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value })),
)

const selectSetting = statement((db, { key }: { key: string }) =>
  db.selectFrom('setting').select('value').where('key', '=', key),
)
