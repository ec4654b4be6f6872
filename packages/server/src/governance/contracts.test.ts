import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { auditContract } from './testing/audit-contract.ts'
import { secretsContract } from './testing/secrets-contract.ts'
import { settingsContract } from './testing/settings-contract.ts'
import { openTestSqlite, startTestPostgres, type TestDatabase } from './testing/databases.ts'

const contracts = [auditContract, secretsContract, settingsContract]

describe('on SQLite', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await openTestSqlite()
  })
  afterEach(() => database.close())
  for (const contract of contracts) contract(() => database)
})

describe('on Postgres', async () => {
  const { existsSync } = await import('node:fs')
  describe.runIf(existsSync('/usr/lib/postgresql'))('if installed', () => {
    let server: Awaited<ReturnType<typeof startTestPostgres>>
    let database: TestDatabase
    beforeAll(async () => {
      server = await startTestPostgres()
    }, 60_000)
    afterAll(() => server?.stop())
    beforeEach(async () => {
      database = await server!.open()
    })
    afterEach(() => database.close())
    for (const contract of contracts) contract(() => database)
  })
})
