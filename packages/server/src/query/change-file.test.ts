import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgentState, findSandbox, findTool, getBuiltinTools, type ToolContext } from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openQueries } from './open-queries.ts'

let base: string
let workspace: string
let queries: ReturnType<typeof openQueries>
const tool = (name: string) => findTool(name, getBuiltinTools())!

beforeAll(async () => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'changes-')))
  const { sandbox } = await findSandbox()
  queries = openQueries({ connections: () => ({}), home: base, sandbox })
  workspace = path.join(base, 'workspace')
  mkdirSync(workspace)
})
afterAll(() => {
  queries.close()
  rmSync(base, { recursive: true, force: true })
})

function context(): ToolContext {
  const state = createAgentState({ workspace, outputFolder: path.join(base, 'output') })
  return testToolContext({ workspace: { id: 'own', path: workspace }, state, queries })
}

const save = (name: string, content: string | Buffer) => writeFileSync(path.join(workspace, name), content)
const content = (name: string) => readFileSync(path.join(workspace, name), 'utf8')

async function change(sql: string, ctx = context()): Promise<string> {
  const write = tool('QueryWrite')
  const input = write.input.parse({ sql })
  const problem = await write.validate?.(input, ctx)
  if (typeof problem === 'string') throw new Error(problem)
  return write.toModel!(await write.execute(input, ctx), input)
}

async function rows(sql: string): Promise<string> {
  const query = tool('Query')
  const input = query.input.parse({ sql })
  return query.toModel!(await query.execute(input, context()), input)
}

it('the approval shows the file and the number of rows, and changes nothing; undo restores every byte', async () => {
  const before =
    '\uFEFFid;name;day;note\r\n007;"Ann";01/02/2024; x \r\n8;Bob;13/02/2024;"a ""b"""\r\n\r\n9;"Cy";14/02/2024;1.50\r\n'
  save('a.csv', before)
  const write = tool('QueryWrite')
  const sql = `update 'a.csv' set name = 'Bo; b', day = date '2024-03-05' where "a.csv".id = 8`
  const input = write.input.parse({ sql })
  const shown = await write.preview!(input, context())
  expect(shown).toEqual({ kind: 'data-change', sql, connection: 'a.csv', rowCount: 1, canUndo: true })
  expect(content('a.csv')).toBe(before)
  expect(write.touches!(input, { cwd: workspace })).toContainEqual({ kind: 'write', path: 'a.csv' })

  const ctx = context()
  expect(await change(sql, ctx)).toBe('Changed 1 row of a.csv. Undo can restore the file.')
  expect(content('a.csv')).toBe(before.replace('8;Bob;13/02/2024', '8;"Bo; b";05/03/2024'))
  await ctx.state.undo.undo(await ctx.state.undo.list({}))
  expect(content('a.csv')).toBe(before)
})

it('a file can be the source of its own rows, without a list of columns', async () => {
  save('a.csv', 'id,n,m\n1,5,x\n')
  await change(`insert into "a.csv" select id + 1, null, m || '!' from 'a.csv' -- copies\n;`)
  expect(content('a.csv')).toBe('id,n,m\n1,5,x\n2,,x!\n')
})

it('only the changed objects of a JSON file are written again', async () => {
  save('a.json', '[\n  {"id": 9007199254740993, "tags": ["a"], "f": 1.50},\n  {"id": 2, "x": {"y": 1}}\n]\n')
  await change(`update 'a.json' j set tags = ['b', 'c'] where j.id = 2`)
  expect(content('a.json')).toBe(
    '[\n  {"id": 9007199254740993, "tags": ["a"], "f": 1.50},\n  {"id": 2, "x": {"y": 1}, "tags": ["b","c"]}\n]\n',
  )
})

it('a Parquet file keeps its types, order and metadata', async () => {
  save('source.csv', 'id,price\n1,1.5\n2,2.5\n3,3.5\n')
  const write = tool('QueryWrite')
  await write.execute(
    write.input.parse({ sql: "select id, price, [id] as l from 'source.csv'", output: 'p.parquet' }),
    context(),
  )
  const types = await rows("describe select * from 'p.parquet'")
  await change("update 'p.parquet' set price = 9.25, l = [7] where id < 3")
  await change("insert into 'p.parquet' (id, price) values (4, null)")
  expect(await rows("select id, price from 'p.parquet'")).toContain(
    '| 1 | 9.25 |\n| 2 | 9.25 |\n| 3 | 3.5 |\n| 4 | NULL |',
  )
  expect(await rows("describe select * from 'p.parquet'")).toBe(types)
})

it.each<[string, string, RegExp]>([
  ['two statements', "delete from 'a.csv'; delete from 'a.csv'", /exactly one statement/],
  ['a statement that reads', "select * from 'a.csv'", /Set "connection" for a database/],
  ['rows that are returned', "delete from 'a.csv' returning *", /Leave out RETURNING/],
  ['a table', 'create table x (i int)', /Set "connection" for a database/],
  ['a workbook', "update 'a.xlsx' set x = 1", /Use OfficeExecute/],
  ['several files', "delete from 'b/*.csv'", /one file at a time/],
  ['a compressed file', "delete from 'a.csv.gz'", /Files of this type/],
  ['a missing file', "delete from 'none.csv'", /none\.csv/],
  ['a file outside', "update 'a.csv' set name = (select word from '../outside.csv')", /outside|permission|allowed/i],
  ['a function that logs', "insert into 'a.csv' select 1, 'x' from enable_logging/* */()", /not available/],
  ['a value of another type', "update 'a.csv' set id = 'many'", /many/],
])('%s is refused, and the file stays', async (_, sql, why) => {
  const before = 'id,name\n1,a\n'
  save('a.csv', before)
  writeFileSync(path.join(base, 'outside.csv'), 'word\nsecret\n')
  await expect(change(sql)).rejects.toThrow(why)
  expect(content('a.csv')).toBe(before)
})

it('a file that changes meanwhile is not replaced', async () => {
  save('a.csv', 'id,name\n1,a\n')
  const ctx = context()
  const slow: ToolContext = {
    ...ctx,
    queries: {
      ...queries,
      async write(request, call) {
        const done = await queries.write(request, call)
        save('a.csv', 'id,name\n1,other\n')
        return done
      },
    },
  }
  await expect(change("update 'a.csv' set name = 'z'", slow)).rejects.toThrow('changed by someone else')
  expect(content('a.csv')).toBe('id,name\n1,other\n')
})
