import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findSandbox, type QuerySource, type Sandbox } from '@troupe/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connections } from './connections.ts'
import { openQueries } from './open-queries.ts'
import { duckdbAttempts, mysqlAttempts, postgresAttempts, sqliteAttempts, type Target } from './testing/attempts.ts'
import { type DatabaseServer, startMariadb, startPostgres } from './testing/database-servers.ts'

const isFull = process.env['TROUPE_TEST_FULL'] === '1'
/** A part of a long list, unless everything is wanted. */
const slice = <T>(all: readonly T[]): T[] => all.filter((_, index) => isFull || index % 9 === 0)
const secret = 'do-not-tell'

let base: string
let target: Target
let web: Server
let visits = 0
let sandbox: Sandbox | undefined

beforeAll(async () => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'query-attempts-')))
  const [folder, outsideFolder] = [path.join(base, 'workspace'), path.join(base, 'outside')]
  mkdirSync(folder)
  mkdirSync(outsideFolder, { mode: 0o777 })
  const [file, outside] = [path.join(folder, 'people.csv'), path.join(outsideFolder, 'secret.csv')]
  writeFileSync(file, 'id\n1\n2\n')
  writeFileSync(outside, `word\n${secret}\n`)
  symlinkSync(outside, path.join(folder, 'link.csv'))
  const database = new DatabaseSync(path.join(folder, 'people.db'))
  database.exec('create table people (id integer); insert into people values (1), (2)')
  database.close()
  web = createServer((_, response) => {
    visits++
    response.end('a\n1\n')
  })
  web.on('connection', () => visits++)
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  const { port } = web.address() as AddressInfo
  target = { file, folder, outside, outsideFolder, url: `http://127.0.0.1:${port}` }
  sandbox = (await findSandbox()).sandbox
})
afterAll(() => {
  web.close()
  rmSync(base, { recursive: true, force: true })
})

/** Names and content of everything in the two folders. */
function state(): string {
  const files = readdirSync(base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => `${file} ${readFileSync(file).toString('base64')}`)
    .join('\n')
}

/** Resolves to the attempts that changed or showed something. */
async function succeeded(
  attempts: readonly string[],
  source: QuerySource,
  options: { sandbox?: Sandbox | undefined; connections?: Connections } = {},
): Promise<string[]> {
  const { connections = {} } = options
  const queries = openQueries({ connections: () => connections, home: base, sandbox: options.sandbox })
  const before = state()
  const found: string[] = []
  await Promise.all(
    attempts.map(async (sql) => {
      const call = { signal: AbortSignal.timeout(120_000), workspace: { id: 'own' } }
      const outcome = await queries.run({ source, sql, limit: 10 }, call).then(
        (result) => JSON.stringify(result),
        (error: unknown) => String(error),
      )
      if (outcome.includes(secret)) found.push(`read: ${sql}`)
    }),
  )
  // Everything fails where nothing works.
  const control = source.kind === 'files' ? "select * from 'people.csv'" : 'select id from people'
  const call = { signal: AbortSignal.timeout(120_000), workspace: { id: 'own' } }
  const { rows } = await queries.run({ source, sql: control, limit: 10 }, call)
  if (rows.length !== 2) found.push('the control')
  if (state() !== before) found.push('written')
  if (visits > 0) found.push('reached the network')
  return found
}

describe.each([
  ['with', true],
  ['without', false],
] as const)('%s a sandbox', (_, isConfined) => {
  const options = (): { sandbox?: Sandbox } => (isConfined ? { sandbox: sandbox as Sandbox } : {})

  it('nothing but the named files can be read, and nothing is written or reached through DuckDB', async ({ skip }) => {
    if (isConfined && sandbox === undefined) skip('there is no sandbox on this machine')
    const attempts = slice(duckdbAttempts(target))
    const files = [{ name: 'people.csv', paths: [target.file] }]
    expect(await succeeded(attempts, { kind: 'files', files, cwd: target.folder }, options())).toEqual([])
  }, 600_000)

  it('a SQLite file is not changed', async ({ skip }) => {
    if (isConfined && sandbox === undefined) skip('there is no sandbox on this machine')
    const source = { kind: 'sqlite', path: path.join(target.folder, 'people.db') } as const
    expect(await succeeded(slice(sqliteAttempts(target)), source, options())).toEqual([])
  }, 600_000)
})

it('the lists have at least 60 attempts', () => {
  expect(duckdbAttempts(target).length).toBeGreaterThanOrEqual(60)
})

describe.each([
  ['Postgres', startPostgres, postgresAttempts],
  ['MariaDB', startMariadb, mysqlAttempts],
] as const)('%s', (name, start, attempts) => {
  let server: DatabaseServer | undefined
  beforeAll(async () => {
    // Both share the code that this tests. MariaDB takes twice as long to start.
    if (name === 'MariaDB' && !isFull) return
    server = await start('create table people (id int); insert into people values (1), (2)')
  }, 120_000)
  afterAll(() => server?.stop())

  it('does not change through a superuser, and shows no files', async ({ skip }) => {
    if (server === undefined) return skip(`${name} is not installed, or runs only with TROUPE_TEST_FULL=1`)
    const { connection } = server
    const options = { sandbox, connections: { own: connection } }
    expect(await succeeded(slice(attempts(target)), { kind: 'connection', name: 'own' }, options)).toEqual([])
    const queries = openQueries({ connections: () => ({ own: connection }), home: base, sandbox })
    const call = { signal: AbortSignal.timeout(120_000), workspace: { id: 'own' } }
    const source = { kind: 'connection', name: 'own' } as const
    const { rows } = await queries.run({ source, sql: 'select id from people order by id', limit: 10 }, call)
    expect(rows).toEqual([['1'], ['2']])
    const tables = await queries.run({ source, limit: 1000 }, call)
    expect(tables.rows.filter((row) => row[1] === 'people').map((row) => row[2])).toEqual(['id'])
    expect(new Set(tables.rows.map((row) => row[1]))).toEqual(new Set(['people']))
  }, 600_000)

  it('cancels at the server when the call is stopped, and tells no password', async ({ skip }) => {
    if (server === undefined) return skip(`${name} is not installed, or runs only with TROUPE_TEST_FULL=1`)
    const { connection } = server
    const queries = openQueries({ connections: () => ({ own: connection }), home: base, sandbox })
    const source = { kind: 'connection', name: 'own' } as const
    const slow = connection.type === 'postgres' ? 'select pg_sleep(100) as asleep' : 'select sleep(100) as asleep'
    const controller = new AbortController()
    const stopped = queries.run(
      { source, sql: slow, limit: 10 },
      { signal: controller.signal, workspace: { id: 'own' } },
    )
    const call = { signal: AbortSignal.timeout(120_000), workspace: { id: 'own' } }
    const running =
      connection.type === 'postgres'
        ? "select count(*) from pg_stat_activity where application_name = 'troupe' and state = 'active' and pid <> pg_backend_pid()"
        : "select count(*) from information_schema.processlist where info like '%asleep%' and id <> connection_id()"
    const count = async (): Promise<string | null | undefined> =>
      (await queries.run({ source, sql: running, limit: 1 }, call)).rows[0]?.[0]
    while ((await count()) !== '1') expect(call.signal.aborted).toBe(false)
    controller.abort(new Error('stopped by the user'))
    await expect(stopped).rejects.toThrow('stopped by the user')
    while ((await count()) !== '0') expect(call.signal.aborted).toBe(false)
    const wrong = openQueries({
      connections: () => ({ own: { ...connection, password: 'wrong-password' } }),
      home: base,
      sandbox,
    })
    const error = await wrong.run({ source, sql: 'select 1', limit: 1 }, call).catch(String)
    expect(error).toMatch(/password|denied/i)
    expect(error).not.toContain('wrong-password')
  }, 300_000)

  it('changes are tried in a transaction and need the consent of the config', async ({ skip }) => {
    if (server === undefined) return skip(`${name} is not installed, or runs only with TROUPE_TEST_FULL=1`)
    const { connection } = server
    const source = { kind: 'connection', name: 'own' } as const
    const call = { signal: AbortSignal.timeout(120_000), workspace: { id: 'own' } }
    const sql = 'insert into people values (7), (8)'
    const open = (write: boolean) =>
      openQueries({ connections: () => ({ own: { ...connection, write } }), home: base, sandbox })
    await expect(open(false).write({ source, sql, step: 'dry' }, call)).rejects.toThrow('does not allow changes')
    const queries = open(true)
    const count = async (): Promise<unknown> =>
      (await queries.run({ source, sql: 'select count(*) from people', limit: 1 }, call)).rows[0]?.[0]
    expect(await queries.write({ source, sql, step: 'dry' }, call)).toEqual({ rowCount: 2 })
    expect(await count()).toBe('2')
    expect(await queries.write({ source, sql, step: 'commit' }, call)).toEqual({ rowCount: 2 })
    expect(await count()).toBe('4')
    await queries.write({ source, sql: 'delete from people where id > 2', step: 'commit' }, call)
  }, 300_000)

  it('values are exact', async ({ skip }) => {
    if (server === undefined) return skip(`${name} is not installed, or runs only with TROUPE_TEST_FULL=1`)
    const { connection } = server
    const queries = openQueries({ connections: () => ({ own: connection }), home: base, sandbox })
    const source = { kind: 'connection', name: 'own' } as const
    const call = { signal: AbortSignal.timeout(120_000), workspace: { id: 'own' } }
    const big = connection.type === 'postgres' ? '9007199254740993::bigint' : 'cast(9007199254740993 as signed)'
    const sql = `select ${big} as a, cast('12345678901234567.89' as decimal(20,2)) as b, date '2024-02-29' as c, null as d`
    const { rows, columns, rowCount } = await queries.run({ source, sql, limit: 10 }, call)
    expect(rows).toEqual([['9007199254740993', '12345678901234567.89', '2024-02-29', null]])
    expect(columns.map(({ kind }) => kind).slice(0, 3)).toEqual(['number', 'number', 'time'])
    expect(rowCount).toBe(1)
  }, 300_000)
})
