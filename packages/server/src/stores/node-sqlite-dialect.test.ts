import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { nodeSqliteDialect } from './sqlite.ts'

function open() {
  const db = new Kysely<{ note: { id: number; text: string } }>({
    dialect: nodeSqliteDialect(new DatabaseSync(':memory:')),
  })
  return { db, run: (sql: string) => db.executeQuery(CompiledQuery.raw(sql)) }
}

it('reads, counts changes and returns the rows of a write', async () => {
  const { db, run } = open()
  await run('create table note (id integer primary key, text text)')
  const inserted = await db
    .insertInto('note')
    .values([
      { id: 1, text: 'a' },
      { id: 2, text: 'b' },
    ])
    .executeTakeFirst()
  expect(inserted.numInsertedOrUpdatedRows).toBe(2n)
  expect(await db.updateTable('note').set({ text: 'c' }).returning('id').execute()).toEqual([{ id: 1 }, { id: 2 }])
  expect((await db.deleteFrom('note').where('id', '=', 1).executeTakeFirst()).numDeletedRows).toBe(1n)
  await db.destroy()
})

it('streams rows one by one', async () => {
  const { db, run } = open()
  await run('create table note (id integer primary key, text text)')
  await run("insert into note values (1, 'a'), (2, 'b'), (3, 'c')")
  const seen: number[] = []
  for await (const row of db.selectFrom('note').selectAll().orderBy('id').stream()) seen.push(row.id)
  expect(seen).toEqual([1, 2, 3])
  await db.destroy()
})

it('answers more kinds of query than it keeps prepared', async () => {
  const { db, run } = open()
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 700; i++) expect((await run(`select ${i} as number`)).rows).toEqual([{ number: i }])
  }
  await db.destroy()
})

it('rolls back a failed transaction', async () => {
  const { db, run } = open()
  await run('create table note (id integer primary key, text text)')
  const failing = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('note').values({ id: 1, text: 'a' }).execute()
    await transaction.insertInto('note').values({ id: 1, text: 'again' }).execute()
  })
  await expect(failing).rejects.toThrow('UNIQUE')
  expect(await db.selectFrom('note').selectAll().execute()).toEqual([])
  await db.destroy()
})
