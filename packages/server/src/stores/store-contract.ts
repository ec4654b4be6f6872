import type { ContractSetup } from './contract/make.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenedStore } from './contract/make.ts'
import { foldersContract } from './contract/folders.ts'
import { messagesContract } from './contract/messages.ts'
import { runsContract } from './contract/runs.ts'
import { searchContract } from './contract/search.ts'
import { sessionsContract } from './contract/sessions.ts'
import { transactionsContract } from './contract/transactions.ts'
import { workspacesContract } from './contract/workspaces.ts'

/** Every store passes this. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`the store contract on ${name}`, () => {
    let opened: OpenedStore
    let ground: ContractSetup
    beforeEach(async () => {
      opened = await open()
      const workspace = await opened.store.workspaces.open('/tmp/one')
      const other = await opened.store.workspaces.open('/tmp/other')
      await opened.store.sessions.create({ id: 's1', workspaceId: workspace.id })
      ground = {
        store: opened.store,
        workspaceId: workspace.id,
        otherWorkspaceId: other.id,
        reopen: () => opened.reopen(),
      }
    })
    afterEach(() => opened.dispose())

    const parts = [
      workspacesContract,
      sessionsContract,
      foldersContract,
      messagesContract,
      searchContract,
      runsContract,
      transactionsContract,
    ]
    for (const part of parts) part(() => ground)
  })

  it(`${name} opens an empty store`, async () => {
    const opened = await open()
    expect(await opened.store.workspaces.list()).toEqual([])
    expect(await opened.store.runs.unfinished()).toEqual([])
    await opened.dispose()
  })
}
