import { afterAll, beforeAll, describe } from 'vitest'
import { createClearing, createTestDatabase, hasPostgres } from '../../testing/postgres.ts'
import type { SqlStore } from '../sql/sql-store.ts'
import { storeContract } from '../testing/store-contract.ts'
import { openPostgresStore } from './open-postgres.ts'

describe.skipIf(!hasPostgres)('Postgres', () => {
  let url: string
  let store: SqlStore
  let clearing: Awaited<ReturnType<typeof createClearing>>
  const open = () => openPostgresStore({ url, max: 4 })
  beforeAll(async () => {
    url = await createTestDatabase()
    clearing = await createClearing(url)
    store = await open()
  })
  afterAll(async () => {
    await store.close()
    await clearing.end()
  })

  // One store for all tests: a connection takes longer than a test.
  storeContract('Postgres', async () => ({
    store,
    async reopen() {
      await store.close()
      store = await open()
      return store
    },
    dispose: () => clearing.clear(),
  }))
})
