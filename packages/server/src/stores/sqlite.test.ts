import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
