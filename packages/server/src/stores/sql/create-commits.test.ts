import { DatabaseSync } from 'node:sqlite'
import { type Driver, Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nodeSqliteDialect } from '../sqlite.ts'
import type { Db } from './context.ts'
import type { Tables } from './tables.ts'
import { type Commit, createGroupCommit } from './sql-store.ts'

let db: Db
let commit: Commit
let commits: number

beforeEach(async () => {
  commits = 0
  const dialect = nodeSqliteDialect(new DatabaseSync(':memory:'))
  const driver = dialect.createDriver()
  const counting: Driver = {
    ...driver,
    commitTransaction(connection) {
      commits++
      return driver.commitTransaction(connection)
    },
  }
  db = new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => counting } })
  await sql`create table word (text text primary key)`.execute(db)
  commit = createGroupCommit(db)
})

afterEach(() => db.destroy())

const add = (text: string) => (transaction: Db) =>
  sql`insert into word values (${text})`.execute(transaction).then(() => text)

async function words(): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`select text from word order by text`.execute(db)
  return rows.map(({ text }) => text)
}

it('works that wait are committed together, and each gets its own value', async () => {
  const first = commit(add('a'))
  expect(await Promise.all([first, commit(add('b')), commit(add('c'))])).toEqual(['a', 'b', 'c'])
  expect(await words()).toEqual(['a', 'b', 'c'])
  expect(commits).toBeLessThan(3)
})

it('work that can wait joins the next commit, before it, or is committed by a flush', async () => {
  const patient = commit(add('a'), true)
  expect(await words()).toEqual([])
  await commit((transaction) => sql`delete from word`.execute(transaction))
  expect(await patient).toBe('a')
  expect([await words(), commits]).toEqual([[], 1])
  const last = commit(add('b'), true)
  await commit.flush()
  expect([await last, await words(), commits]).toEqual(['b', ['b'], 2])
  await commit.flush()
  expect(await commit(add('c'))).toBe('c')
})

it('a failing task leaves nothing behind and does not affect the others', async () => {
  const failing = commit(async (transaction) => {
    await add('never')(transaction)
    throw new Error('changed my mind')
  })
  const settled = await Promise.allSettled([commit(add('a')), failing, commit(add('b')), commit(add('a'))])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  expect(await words()).toEqual(['a', 'b'])
})

it('if the database rolls back the whole commit, all parts fail with the error, and later ones are stored', async () => {
  const full = commit(async (transaction) => {
    await sql`rollback`.execute(transaction)
    throw new Error('the disk is full')
  })
  const settled = await Promise.allSettled([commit(add('a')), full, commit(add('b'))])
  expect(settled.map((one) => (one.status === 'rejected' ? (one.reason as Error).message : one.value))).toEqual(
    Array.from({ length: 3 }, () => 'the disk is full'),
  )
  expect(await commit(add('later'))).toBe('later')
  expect(await words()).toEqual(['later'])
})

it('writes beyond one commit all complete, in order', async () => {
  const order: number[] = []
  await Promise.all(Array.from({ length: 100 }, (_, i) => commit(add(String(i))).then(() => order.push(i))))
  expect(order).toEqual(Array.from({ length: 100 }, (_, i) => i))
  expect(await words()).toHaveLength(100)
  expect(commits).toBeLessThan(10)
})

it('a database that is closed refuses them', async () => {
  await db.destroy()
  await expect(Promise.all([commit(add('a')), commit(add('b'))])).rejects.toThrow('destroyed')
})
