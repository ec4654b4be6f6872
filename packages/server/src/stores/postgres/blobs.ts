import { createHash } from 'node:crypto'
import { newId } from '@troupe/protocol'
import { sql } from 'kysely'
import { type BlobStore, cleanType, isSha256 } from '../../blobs/blob-store.ts'
import type { AnyDb } from '../sql/context.ts'
import { codeOf, type Pool } from './pool.ts'

export async function createBlobTables(db: AnyDb): Promise<void> {
  const statements = [
    // Without a hash until it is complete.
    sql`create table blob (
      id text primary key, sha256 text unique, size bigint, media_type text not null, created_at bigint not null)`,
    sql`create table blob_chunk (
      blob_id text not null references blob (id) on delete cascade, position integer not null, bytes bytea not null,
      primary key (blob_id, position))`,
    // Most are compressed already.
    sql`alter table blob_chunk alter column bytes set storage external`,
  ]
  for (const statement of statements) await statement.execute(db)
}

/** Rows of this size are twice as fast as one row, and any part is read without the rest. */
const chunkBytes = 256 * 1024
const chunksPerQuery = 4
const uploadLifetimeMs = 24 * 60 * 60 * 1000

export interface PostgresBlobs extends BlobStore {
  /** Removes uploads that were never completed. */
  purge(): Promise<void>
}

/** Stores blobs as rows. Uploads and downloads hold a connection only for one chunk at a time. */
export function createPostgresBlobs(pool: Pool, clock: () => number): PostgresBlobs {
  const run = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>({ text, values })).rows

  async function find(sha256: string): Promise<{ id: string; size: number; mediaType: string } | undefined> {
    if (!isSha256(sha256)) return undefined
    const [found] = await run<{ id: string; size: number; media_type: string }>(
      'select id, size, media_type from blob where sha256 = $1',
      sha256,
    )
    return found && { id: found.id, size: found.size, mediaType: found.media_type }
  }

  async function putStream(bytes: AsyncIterable<Uint8Array>, mediaType: string) {
    const id = newId('b_')
    const type = cleanType(mediaType)
    await run('insert into blob (id, media_type, created_at) values ($1, $2, $3)', id, type, clock())
    try {
      const hash = createHash('sha256')
      let size = 0
      let position = 0
      for await (const chunk of inChunks(bytes)) {
        hash.update(chunk)
        size += chunk.length
        // Not synced: the commit that completes the blob syncs all before it.
        await run(
          `with setting as (select set_config('synchronous_commit', 'off', true))
          insert into blob_chunk (blob_id, position, bytes) select $1, $2, $3 from setting`,
          id,
          position++,
          chunk,
        )
      }
      const sha256 = hash.digest('hex')
      const known = await complete(id, sha256, size)
      return { sha256, size, mediaType: known?.mediaType ?? type }
    } catch (error) {
      await run('delete from blob where id = $1', id).catch(() => undefined)
      throw error
    }
  }

  /** Returns the blob that has these bytes already, and removes the new one. */
  async function complete(id: string, sha256: string, size: number): ReturnType<typeof find> {
    try {
      await run('update blob set sha256 = $2, size = $3 where id = $1', id, sha256, size)
      return undefined
    } catch (error) {
      if (codeOf(error) !== uniqueViolation) throw error
      await run('delete from blob where id = $1', id)
      return find(sha256)
    }
  }

  async function* read(id: string, start: number, end: number): AsyncGenerator<Uint8Array> {
    const last = Math.floor(end / chunkBytes)
    for (let next = Math.floor(start / chunkBytes); next <= last;) {
      const upTo = Math.min(last, next + chunksPerQuery - 1)
      const rows = await run<{ bytes: Buffer }>(
        'select bytes from blob_chunk where blob_id = $1 and position between $2 and $3 order by position',
        id,
        next,
        upTo,
      )
      if (rows.length !== upTo - next + 1) throw new Error('The blob was removed while it was read.')
      for (const { bytes } of rows) {
        const offset = next++ * chunkBytes
        yield bytes.subarray(Math.max(0, start - offset), end + 1 - offset)
      }
    }
  }

  return {
    async put(bytes, mediaType) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const known = await find(sha256)
      if (known !== undefined) return { sha256, size: known.size, mediaType: known.mediaType }
      return putStream(single(bytes), mediaType)
    },
    putStream,

    async get(sha256) {
      const found = await find(sha256)
      if (found === undefined) return undefined
      const pieces = found.size === 0 ? [] : await Array.fromAsync(read(found.id, 0, found.size - 1))
      return { bytes: Buffer.concat(pieces), mediaType: found.mediaType }
    },

    async open(sha256) {
      const found = await find(sha256)
      if (found === undefined) return undefined
      const { id, size, mediaType } = found
      return { size, mediaType, read: ({ start, end } = { start: 0, end: size - 1 }) => read(id, start, end) }
    },

    async *list() {
      for (let after = ''; ;) {
        const rows = await run<{ sha256: string }>(
          'select sha256 from blob where sha256 > $1 order by sha256 limit 1000',
          after,
        )
        for (const { sha256 } of rows) yield sha256
        if (rows.length === 0) return
        after = rows.at(-1)!.sha256
      }
    },

    async remove(sha256) {
      return (await run('delete from blob where sha256 = $1 returning id', sha256)).length > 0
    },

    async purge() {
      await run('delete from blob where sha256 is null and created_at < $1', clock() - uploadLifetimeMs)
    },
  }
}

const uniqueViolation = '23505'

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The same bytes in pieces of one size, except the last. */
async function* inChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let size = 0
  for await (let piece of bytes) {
    while (size + piece.length >= chunkBytes) {
      const rest = chunkBytes - size
      yield Buffer.concat([...held, piece.subarray(0, rest)])
      piece = piece.subarray(rest)
      held = []
      size = 0
    }
    // A copy, since the caller may use its buffer again.
    if (piece.length > 0) held.push(Buffer.from(piece))
    size += piece.length
  }
  if (size > 0) yield Buffer.concat(held)
}
