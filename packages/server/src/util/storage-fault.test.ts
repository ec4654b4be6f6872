import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { storageFault } from './storage-fault.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-fault-'))
afterAll(() => rmSync(folder, { recursive: true }))

function failing(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

function filled(name: string): { file: string; database: DatabaseSync } {
  const file = path.join(folder, name)
  const database = new DatabaseSync(file)
  database.exec('create table t (x)')
  for (let row = 0; row < 200; row++) database.prepare('insert into t values (?)').run('x'.repeat(500))
  return { file, database }
}

it('names a database that has no room to grow', () => {
  const { database } = filled('full.db')
  database.exec('pragma max_page_count = 1')
  const error = failing(() => database.prepare('insert into t values (?)').run('x'.repeat(100_000)))
  expect(storageFault(error)).toMatchObject({ name: 'DiskFull', status: 507 })
  database.close()
})

it('names a damaged page, a file that is not a database, and one that is read-only', () => {
  const { file, database } = filled('damaged.db')
  database.close()
  truncateSync(file, 8192)
  const damaged = new DatabaseSync(file)
  expect(storageFault(failing(() => damaged.prepare('select * from t').all()))?.name).toBe('DatabaseDamaged')
  damaged.close()
  writeFileSync(file, 'no database at all, but long enough to be looked at'.repeat(100))
  const other = new DatabaseSync(file)
  expect(storageFault(failing(() => other.prepare('select * from t').all()))?.name).toBe('DatabaseDamaged')
  other.close()
  const { file: readable, database: written } = filled('readable.db')
  written.close()
  const readOnly = new DatabaseSync(readable, { readOnly: true })
  expect(storageFault(failing(() => readOnly.exec('delete from t')))?.name).toBe('NotWritable')
  readOnly.close()
})

it('names a full disk and too many open files, also as the cause of another error, and nothing else', () => {
  const failure = (code: string): Error => Object.assign(new Error(code), { code })
  expect(storageFault(failure('ENOSPC'))).toMatchObject({ name: 'DiskFull', status: 507 })
  expect(storageFault(new Error('not stored', { cause: failure('EMFILE') }))).toMatchObject({
    name: 'TooManyFiles',
    status: 503,
  })
  expect(storageFault(failure('53100'))).toMatchObject({ name: 'DiskFull', status: 507 })
  expect(storageFault(failure('25006'))).toMatchObject({ name: 'NotWritable', status: 503 })
  expect(storageFault(failure('55P03'))).toMatchObject({ name: 'DatabaseBusy', status: 503 })
  expect(storageFault(failure('ENOENT'))).toBeUndefined()
  expect(storageFault(new TypeError('x is not a function'))).toBeUndefined()
})
