import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blobsContract } from '../../blobs/testing/blobs-contract.ts'
import { createClearing, createTestDatabase, hasPostgres, query } from '../../testing/postgres.ts'
import { createPostgresBlobs } from './blobs.ts'
import { openPostgresStore, type PostgresStore } from './open-postgres.ts'
import { createPostgresPool } from './pool.ts'

describe.skipIf(!hasPostgres)('blobs in Postgres', () => {
  let url: string
  let store: PostgresStore
  let clearing: Awaited<ReturnType<typeof createClearing>>
  beforeAll(async () => {
    url = await createTestDatabase()
    clearing = await createClearing(url)
    store = await openPostgresStore({ url, max: 4 })
  })
  afterAll(async () => {
    await store.close()
    await clearing.end()
  })

  blobsContract('Postgres', async () => {
    await clearing.clear()
    return store.blobs
  })

  it('leave nothing of bytes that are there already, and lose unfinished uploads after a day', async () => {
    await clearing.clear()
    let now = 1_000_000_000
    const pool = createPostgresPool({ url, log: () => undefined })
    const blobs = createPostgresBlobs(pool, () => now)
    const rows = async () =>
      (await query(url, 'select (select count(*) from blob) as blobs, (select count(*) from blob_chunk) as chunks'))[0]
    await blobs.put(Buffer.from('same'), 'text/plain')
    async function* same(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('same')
    }
    await blobs.putStream(same(), 'text/plain')
    expect(await rows()).toEqual({ blobs: '1', chunks: '1' })
    await query(url, `insert into blob (id, media_type, created_at) values ('b_left', 'text/plain', ${now})`)
    await query(url, `insert into blob_chunk values ('b_left', 0, 'x')`)
    await blobs.purge()
    expect(await rows()).toEqual({ blobs: '2', chunks: '2' })
    now += 24 * 60 * 60 * 1000 + 1
    await blobs.purge()
    expect(await rows()).toEqual({ blobs: '1', chunks: '1' })
    await pool.end()
  })
})
