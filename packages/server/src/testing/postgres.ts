import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { findPostgres, retry, type ServerFolder, startPostgresServer } from './postgres-server.ts'

/** False where Postgres is not installed. Its tests are skipped there, and `npm test` says so. */
export const hasPostgres = process.env['TROUPE_TEST_POSTGRES'] !== undefined

let lastDatabase = 0

/** Creates an empty database on the server that all tests of a run share. Returns its URL. */
export async function createTestDatabase(options = ''): Promise<string> {
  const url = await serverUrl()
  const name = `test_${process.pid}_${++lastDatabase}`
  await query(url, `create database ${name} template template0 ${options}`)
  return url.replace(/[^/]*$/, name)
}

/** Returns a function that removes all rows, which is quicker than a new database. */
export async function createClearing(url: string): Promise<{ clear(): Promise<void>; end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Without the foreign keys, in any order.
  await client.query('set session_replication_role = replica')
  return {
    async clear() {
      const { rows } = await client.query<{ tablename: string }>(
        `select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_version'`,
      )
      if (rows.length > 0) await client.query(rows.map(({ tablename }) => `delete from "${tablename}"`).join('; '))
    },
    end: () => client.end(),
  }
}

export async function query(url: string, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, string>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function serverUrl(): Promise<string> {
  const place = JSON.parse(process.env['TROUPE_TEST_POSTGRES'] ?? '') as ServerFolder
  const state = path.join(place.folder, 'server.json')
  const failed = path.join(place.folder, 'failed')
  if (isFirst(path.join(place.folder, 'starting'))) {
    try {
      const server = await startPostgresServer(findPostgres() as string, place)
      writeFileSync(`${state}.part`, JSON.stringify(server))
      renameSync(`${state}.part`, state)
    } catch (error) {
      writeFileSync(failed, String(error))
    }
  }
  await retry(async () => {
    if (!existsSync(state) && !existsSync(failed)) throw new Error('Postgres did not start')
  })
  if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'))
  const { port } = JSON.parse(readFileSync(state, 'utf8')) as { port: number }
  return `postgres://troupe@127.0.0.1:${port}/postgres`
}

/** True for the first of all test workers. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
