import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { examineDatabase } from './database-state.ts'
import { openSqliteStore } from './sqlite.ts'
import { message } from './testing/builders.ts'
import { storeContract } from './testing/store-contract.ts'

storeContract('SQLite', async () => {
  const home = mkdtempSync(join(tmpdir(), 'troupe-store-'))
  let store = await openSqliteStore({ home })
  return {
    store,
    async reopen() {
      await store.close()
      store = await openSqliteStore({ home })
      return store
    },
    async dispose() {
      await store.close()
      rmSync(home, { recursive: true })
    },
  }
})

it('reads that begin after a transaction wait for it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'troupe-order-'))
  const store = await openSqliteStore({ home })
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
  const first = store.transaction(async (inside) => {
    await inside.settings.set('a', 1)
    await held
    await inside.settings.set('a', 2)
  })
  const read = store.settings.get('a')
  goOn()
  await first
  expect(await read).toBe(2)
  await store.close()
  rmSync(home, { recursive: true })
})

it('other users cannot read the files of a home', async () => {
  const home = mkdtempSync(join(tmpdir(), 'troupe-modes-'))
  chmodSync(home, 0o755)
  const store = await openSqliteStore({ home })
  const { id: workspaceId } = await store.workspaces.open('/tmp/one')
  await store.sessions.create({ id: 's1', workspaceId })
  await store.messages.add({ sessionId: 's1' }, message('u1', null))
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' })
  expect(names).toEqual(
    expect.arrayContaining(['troupe.db', 'troupe.db-wal', join('sessions', 's1', 'messages.jsonl')]),
  )
  expect(names.filter((name) => (statSync(join(home, name)).mode & 0o077) !== 0)).toEqual([])
  await store.close()
  rmSync(home, { recursive: true })
})

describe('a damaged database', () => {
  let home: string
  let file: string
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'troupe-damage-'))
    file = join(home, 'troupe.db')
    const store = await openSqliteStore({ home })
    const { id: workspaceId } = await store.workspaces.open('/tmp/one')
    await store.workspaces.trust(workspaceId, true)
    await store.sessions.create({ id: 's1', workspaceId })
    for (let n = 0; n < 50; n++) await store.messages.add({ sessionId: 's1' }, message(`u${n}`, null, 'x'.repeat(2000)))
    await store.close()
  })
  afterEach(() => rmSync(home, { recursive: true }))

  const damaged = () =>
    expect.objectContaining({
      name: 'DatabaseDamaged',
      message: expect.stringContaining(`troupe import "${join(home, 'sessions')}"`),
      data: expect.objectContaining({ path: file }),
    })

  it.each([
    ['other text', () => writeFileSync(file, 'not a database, but the only copy of something\n'.repeat(100))],
    ['a cut off end', () => truncateSync(file, 8192)],
  ])('%s is rejected with a remedy, and stays unchanged', async (_name, damage) => {
    damage()
    const before = readFileSync(file)
    await expect(openSqliteStore({ home })).rejects.toThrow(damaged())
    expect((await examineDatabase(home)).damage).toEqual(damaged())
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('corrupt pages in the middle are found by a full check', async () => {
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.alloc(statSync(file).size - 8192, 0xab), 0, null, 8192)
    closeSync(handle)
    expect((await examineDatabase(home)).damage).toEqual(damaged())
  })

  it('a healthy one is checked while it is open, and lists the trusted folders', async () => {
    const store = await openSqliteStore({ home })
    const state = await examineDatabase(home)
    expect(state).toMatchObject({ exists: true })
    expect(state.damage).toBeUndefined()
    expect([state.trusts('/tmp/one'), state.trusts('/tmp/two')]).toEqual([true, false])
    await store.close()
    expect((await examineDatabase(home)).damage).toBeUndefined()
  })

  it('other work continues during a check', async () => {
    let ended = false
    const examining = examineDatabase(home).then(() => (ended = true))
    await new Promise(setImmediate)
    expect(ended).toBe(false)
    await examining
  })

  it('a missing database is not damaged', async () => {
    expect(await examineDatabase(join(home, 'elsewhere'))).toMatchObject({ exists: false })
  })
})
