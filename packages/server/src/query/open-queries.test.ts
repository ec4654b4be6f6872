import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  createAgentState,
  createPolicy,
  explainCall,
  findSandbox,
  findTool,
  getBuiltinTools,
  placeContext,
  type ToolContext,
} from '@troupe/core'
import { longestPause, testToolContext } from '@troupe/core/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { full } from '../../../protocol/testing/test-effort.ts'
import { configSchema, connectionSecrets } from '../config/config.ts'
import { openSqliteStore } from '../stores/sqlite.ts'
import { checkReads } from './check-sql.ts'
import { listConnections } from './connections.ts'
import { openQueries } from './open-queries.ts'

let base: string
let workspace: string
let queries: ReturnType<typeof openQueries>
const query = findTool('Query', getBuiltinTools())!
const queryWrite = findTool('QueryWrite', getBuiltinTools())!

beforeAll(async () => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'queries-')))
  const { sandbox } = await findSandbox()
  queries = openQueries({ connections: () => ({}), home: base, sandbox, limits: { countMs: 500 } })
  workspace = path.join(base, 'workspace')
  mkdirSync(path.join(workspace, 'data'), { recursive: true })
  writeFileSync(
    path.join(workspace, 'sales.csv'),
    'region,amount,day\nnorth,10.50,2024-01-02\nsouth,20.25,2024-01-03\n',
  )
  writeFileSync(
    path.join(workspace, 'events.jsonl'),
    '{"id": 9007199254740993, "tags": ["a", "b"]}\n{"id": 2, "tags": null}\n',
  )
  for (const name of ['a', 'b', 'hidden']) writeFileSync(path.join(workspace, `data/${name}.csv`), `name\n${name}\n`)
  writeFileSync(path.join(base, 'outside.csv'), 'a\n1\n')
  const database = new DatabaseSync(path.join(workspace, 'shop.db'))
  database.exec(
    "create table customers (id integer primary key, name text); insert into customers (name) values (null), ('b')",
  )
  database.close()
  const store = await openSqliteStore({ home: base, log: () => undefined })
  const numbers = { calls: 1, inputTokens: 10, cachedTokens: 0, outputTokens: 5, unpricedTokens: 0 }
  await store.usage.add([{ day: '2024-05-01', model: 'acme/large', folder: workspace, ...numbers, cost: 0.25 }])
  await store.close()
})
afterAll(() => {
  queries.close()
  rmSync(base, { recursive: true, force: true })
})

function context(given: Partial<ToolContext> = {}): ToolContext {
  const state = createAgentState({ workspace, outputFolder: path.join(base, 'output') })
  return testToolContext({ workspace: { id: 'own', path: workspace }, state, queries, ...given })
}

/** The text that a model reads. */
async function ask(input: object, given: Partial<ToolContext> = {}): Promise<string> {
  const output: unknown = await query.execute(query.input.parse(input), context(given))
  return query.toModel!(output, input)
}

it('a quoted path is a table, with types, exact values and the row count', async () => {
  expect(await ask({ sql: "select * from 'sales.csv' order by amount desc" })).toBe(
    [
      '2 rows. Columns: region VARCHAR, amount DOUBLE, day DATE',
      '',
      '| region | amount | day |',
      '|---|---|---|',
      '| south | 20.25 | 2024-01-03 |',
      '| north | 10.5 | 2024-01-02 |',
    ].join('\n'),
  )
  expect(await ask({ sql: "select id, tags from 'events.jsonl'" })).toContain(
    "| 9007199254740993 | ['a', 'b'] |\n| 2 | NULL |",
  )
})

it('functions take the same names, and a pattern reads the files that are not hidden', async () => {
  const hides = (real: string): boolean => real.endsWith('hidden.csv')
  const granted = { confinement: 'none', grants: [], hides } as const
  expect(await ask({ sql: "select name from 'data/*.csv' order by name" }, { granted })).toMatch(
    /2 rows[^]*\| a \|\n\| b \|/,
  )
  expect(await ask({ sql: "select count(*) as n from read_csv('data/*.csv', header = true)" }, { granted })).toContain(
    '| 2 |',
  )
  expect(await ask({ sql: "select count(*) as n from read_csv('./sales.csv', header = false)" })).toContain('| 3 |')
})

it('a table shows its columns and first rows, and a missing file is named', async () => {
  expect(await ask({ table: 'sales.csv' })).toContain('2 rows. Columns: region VARCHAR, amount DOUBLE, day DATE')
  await expect(ask({ table: 'sale.csv' })).rejects.toThrow('sale.csv does not exist. Did you mean sales.csv?')
  await expect(ask({ sql: "select * from 'shop.db'" })).rejects.toThrow('Set "connection" to "shop.db"')
})

it('a SQLite file is a connection', async () => {
  expect(await ask({ connection: 'shop.db' })).toContain('| customers | id | INTEGER |\n| customers | name | TEXT |')
  expect(await ask({ connection: 'shop.db', table: 'customers' })).toContain('| 1 | NULL |\n| 2 | b |')
})

it('files outside the workspace need approval, and denied files stay denied', () => {
  const judge = (sql: string, deny: string[] = []): string => {
    const policy = createPolicy({ deny }, { home: path.join(base, 'home'), layer: 'project', base: workspace })
    const decision = explainCall({ tool: 'Query', input: { sql } }, getBuiltinTools(), placeContext(workspace), policy)
    return (decision as { decision: string }).decision
  }
  expect(judge("select * from 'sales.csv'")).toBe('allow')
  expect(judge("select * from '../outside.csv'")).toBe('ask')
  expect(judge(`select * from read_csv('${base}/outside.csv')`)).toBe('ask')
  expect(judge("select * from 'sales.csv' join read_parquet(['data/x.parquet']) using (a)", ['Read(data/**)'])).toBe(
    'deny',
  )
  expect(judge("select * from 'sales.csv'", ['Read(sales.csv)'])).toBe('deny')
  expect(judge('select * from "sales.csv"', ['Read(sales.csv)'])).toBe('deny')
})

it('a path that was not approved cannot be opened', async () => {
  await expect(ask({ sql: "select * from '../outside.csv'" })).rejects.toThrow('outside the workspace')
  await expect(ask({ sql: `select '${base}/outside.csv' as f, * from read_text(f)` })).rejects.toThrow(/Error/)
})

it('ten gigabytes of rows are counted for a while and never gathered, and the event loop stays free', async () => {
  const { pauseMs } = await longestPause(async () => {
    const text = await ask({ sql: "select i, repeat('x', 100) as x from range(100000000) t(i)", limit: 3 })
    expect(text).toMatch(/^More than [\d,]+ rows; the first 3 are shown\./)
    expect(text.length).toBeLessThan(2000)
  })
  expect(pauseMs).toBeLessThan(100)
})

it('a stopped call ends its process', async () => {
  const controller = new AbortController()
  let pid = 0
  const running = ask(
    { sql: 'select count(*) from range(100000000000) a, range(1000) b where a.range % 7 = b.range' },
    {
      signal: controller.signal,
      process: (started) => {
        pid = started
        controller.abort(new Error('stopped'))
        return Promise.resolve()
      },
    },
  )
  await expect(running).rejects.toThrow('stopped')
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

it('memory and time are limited', async () => {
  const small = openQueries({ connections: () => ({}), home: base, limits: { memoryMb: 50 } })
  const sql = 'select count(*) from (select range, random() r from range(50000000) order by r)'
  const short = openQueries({ connections: () => ({}), home: base, limits: { ms: 500 } })
  await expect(ask({ sql: 'select list(range) from range(100000000)' }, { queries: small })).rejects.toThrow(/memory/i)
  await expect(ask({ sql }, { queries: short })).rejects.toThrow('The query took longer than 1 seconds')
})

it('costs can be asked for, and settings cannot', async () => {
  const sql = "select sum(cost) as spent from usage where day >= '2024-04-30'"
  expect(await ask({ connection: 'troupe', sql })).toContain('| 0.25 |')
  const tables = await ask({ connection: 'troupe' })
  for (const name of ['chats', 'messages', 'runs', 'tool_calls', 'usage']) expect(tables).toContain(`| ${name} |`)
  const ways = [
    'select * from setting',
    'select * from main.session',
    'select * from workspace',
    'select * from main.usage',
    'select sql from sqlite_schema',
    'select * from trusted_folder',
    'select (select value from main.setting limit 1) from usage',
    'with x as (select * from frame) select * from x',
    'with chats as (select * from main.session) select * from chats',
    'select * from (select * from main.setting) usage',
    'select * from (select * from main.setting) as chats, usage',
    'select count(*) from main.session',
  ]
  // Each way starts a process.
  for (const refused of ways.filter((_, index) => full || index % 3 === 0))
    await expect(ask({ connection: 'troupe', sql: refused })).rejects.toThrow(
      /Only statements that read|access to .* is prohibited/,
    )
})

async function change(input: object, ctx: ToolContext = context()): Promise<string> {
  const parsed: unknown = queryWrite.input.parse(input)
  const problem = await queryWrite.validate?.(parsed, ctx)
  if (typeof problem === 'string') throw new Error(problem)
  return queryWrite.toModel!(await queryWrite.execute(parsed, ctx), parsed)
}

it('all rows are saved, and a text never becomes a formula', async () => {
  writeFileSync(path.join(workspace, 'odd.csv'), 'name,amount\n"=cmd()",-5\n"a ""b"", c",9007199254740993\n')
  const sql = "select * from 'odd.csv'"
  expect(await change({ sql, output: 'out.csv' })).toBe('Saved 2 rows to out.csv.')
  const text = readFileSync(path.join(workspace, 'out.csv'), 'utf8')
  expect(text).toBe('name,amount\r\n\'=cmd(),-5\r\n"a ""b"", c",9007199254740993\r\n')
  for (const output of ['out.xlsx', 'out.parquet']) {
    await change({ sql, output })
    const again = await ask({ sql: `select name, amount from '${output}' order by name` })
    expect(again).toContain('| =cmd() | -5 |')
    expect(again).toContain('9007199254740993')
  }
  await change({
    sql: 'select id, name, 1.5 as part from customers',
    connection: 'shop.db',
    output: 'customers.parquet',
  })
  expect(await ask({ table: 'customers.parquet' })).toContain('id BIGINT, name VARCHAR')
})

it('rows are not saved over a file that was not read', async () => {
  writeFileSync(path.join(workspace, 'mine.csv'), 'mine')
  await expect(change({ sql: 'select 1 as a', output: 'mine.csv' })).rejects.toThrow('mine.csv')
  expect(readFileSync(path.join(workspace, 'mine.csv'), 'utf8')).toBe('mine')
})

it('a sheet of a workbook is a table', async () => {
  await change({ sql: "select region, amount, true as paid from 'sales.csv'", output: 'book.xlsx' })
  expect(await ask({ table: 'book.xlsx' })).toContain('2 rows. Columns: region VARCHAR, amount DOUBLE, paid BOOLEAN')
  expect(await ask({ sql: "select sum(amount) as total from 'book.xlsx#query'" })).toContain('| 30.75 |')
  await expect(ask({ table: 'book.xlsx#Other' })).rejects.toThrow('There is no sheet "Other". There are: Query.')
})

it('a change is tried first, and can be undone', async () => {
  const file = path.join(workspace, 'undo.db')
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal; create table t (id integer); insert into t values (1), (2), (3)')
  database.close()
  const bytes = readFileSync(file)
  const ctx = context()
  const input = { connection: 'undo.db', sql: 'delete from t where id > 1' }
  expect(await queryWrite.preview!(input, ctx)).toMatchObject({ kind: 'data-change', rowCount: 2, canUndo: true })
  expect(readFileSync(file)).toEqual(bytes)
  expect(await change(input, ctx)).toBe('Changed 2 rows. Undo can restore the database.')
  expect(await ask({ connection: 'undo.db', sql: 'select count(*) as n from t' })).toContain('| 1 |')
  const { restored } = await ctx.state.undo.undo((await ctx.state.undo.list({})).filter((one) => one.path === file))
  expect(restored).toEqual([file])
  expect(await ask({ connection: 'undo.db', sql: 'select count(*) as n from t' })).toContain('| 3 |')
  for (const sql of [
    `attach '${base}/new.db' as other`,
    'pragma user_version = 2',
    'select 1',
    "vacuum into 'x'",
    'delete from t; select 1',
  ])
    await expect(change({ connection: 'undo.db', sql }, ctx)).rejects.toThrow(/allowed|exactly one/)
  await expect(change({ connection: 'troupe', sql: 'delete from usage' }, ctx)).rejects.toThrow('can only be read')
})

it('connections are listed without secrets', async () => {
  const connections = {
    prod: { type: 'postgres', database: 'shop', user: 'reader', password: 'very-secret', host: 'db.example.com' },
  } as const
  expect(listConnections(connections)).toEqual([
    { name: 'troupe', type: 'troupe', writable: false },
    { name: 'prod', type: 'postgres', writable: false },
  ])
  expect(connectionSecrets(connections)).toEqual(['very-secret'])
  expect(await ask({})).toContain('- troupe (troupe)')
  await expect(ask({ connection: 'other', sql: 'select 1' })).rejects.toThrow(
    'There is no connection "other". There are: troupe.',
  )
})

it('ordinary statements pass the check of words', () => {
  for (const sql of [
    "select replace(name, 'a', 'b'), \"update\" from t;",
    "with x as (select 1) select * from x where note = 'delete; from'",
    '(select 1) union (select 2)',
    "select $$it's$$, E'\\'' -- done\n",
    'select 1 /* into /* nested */ */',
  ])
    expect(checkReads(sql, 'postgres')).toBe(sql.replace(/;$| -- done\n$| \/\* into.*$/, ''))
})

it('the examples of the guide work', async () => {
  const guide = readFileSync(path.join(import.meta.dirname, '../../../../docs/guides/data.md'), 'utf8')
  const blocks = (language: string): string[] =>
    [...guide.matchAll(new RegExp('```' + language + '\\n([^]*?)```', 'g'))].map(([, text = '']) => text)
  const [onFiles = '', onCosts = ''] = blocks('sql')
  expect(await ask({ sql: onFiles })).toContain('| south | 20.25 |')
  expect(await ask({ sql: onCosts, connection: 'troupe' })).toMatch(/^0 rows\. Columns: model TEXT, cost/)
  const [config = '{}'] = blocks('json')
  const { connections } = configSchema.parse(JSON.parse(config))
  expect(listConnections(connections).map(({ name }) => name)).toEqual(['troupe', 'shop', 'crm', 'notes'])
})

it('views of server files and password hashes, and locks are refused', () => {
  for (const sql of [
    'select * from pg_hba_file_rules',
    'table "pg_catalog"."pg_file_settings"',
    'select * from PG_SHADOW',
  ])
    expect(() => checkReads(sql, 'postgres')).toThrow('not available')
  expect(() => checkReads('select * from mysql.global_priv', 'mysql')).toThrow('not available')
  expect(() => checkReads('select * from people lock in share mode', 'mysql')).toThrow('not allowed')
  expect(checkReads("select 'pg_shadow' as lock from people", 'postgres')).toContain('pg_shadow')
})
