import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { message } from './contract/make.ts'
import { openSqliteStore } from './sqlite.ts'
import { storeContract } from './store-contract.ts'

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

it('nobody else on the machine can read the files of a home', async () => {
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
