import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqliteStore, type SqliteStore } from '../stores/sqlite.ts'
import { createLateSettings } from './late-settings.ts'

let home: string
let store: SqliteStore

beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'troupe-late-'))
  store = await openSqliteStore({ home })
})

afterEach(async () => {
  await store.close()
  rmSync(home, { recursive: true, force: true })
})

const fail = (error: unknown): never => {
  throw error
}

it('what is set is seen at once and written a moment later, with the others in one commit', async () => {
  const commits: Promise<unknown>[] = []
  const counted: Pick<SqliteStore, 'settings' | 'transaction'> = {
    settings: store.settings,
    transaction(work) {
      const commit = store.transaction(work)
      commits.push(commit)
      begun.resolve()
      return commit
    },
  }
  const begun = Promise.withResolvers<void>()
  const settings = createLateSettings(counted, { intervalMs: 1, onError: fail })
  settings.set('a', { n: 1 })
  settings.set('b', 2)
  expect(await settings.get('a')).toEqual({ n: 1 })
  await begun.promise
  await Promise.all(commits)
  expect(commits).toHaveLength(1)
  expect([await store.settings.get('a'), await store.settings.get('b')]).toEqual([{ n: 1 }, 2])
})

it('who waits for what is not written waits for what is being written, too', async () => {
  const settings = createLateSettings(store, { onError: fail })
  settings.set('a', 1)
  void settings.write()
  await settings.write()
  expect(await store.settings.get('a')).toBe(1)
})

it('what is taken away is gone once it is written', async () => {
  await store.settings.set('a', 1)
  const settings = createLateSettings(store, { onError: fail })
  settings.set('a', undefined)
  expect(await settings.get('a')).toBeUndefined()
  await settings.write()
  expect(await store.settings.get('a')).toBeUndefined()
})

it('what could not be written stays, and goes with the next', async () => {
  let full = true
  const errors: unknown[] = []
  const settings = createLateSettings(
    {
      settings: store.settings,
      transaction: (work) => (full ? Promise.reject(new Error('full')) : store.transaction(work)),
    },
    { onError: (error) => errors.push(error) },
  )
  settings.set('a', 1)
  await settings.write()
  expect(errors).toEqual([new Error('full')])
  expect(await settings.get('a')).toBe(1)
  full = false
  settings.set('b', 2)
  await settings.write()
  expect([await store.settings.get('a'), await store.settings.get('b')]).toEqual([1, 2])
})
