import type { AgentRecord, Blobs, Conversation, Session, Store, StoredMessage } from '@troupe/core'

export interface ExportOptions {
  /** The end of the branch that is meant; default: the newest. */
  leaf?: string | undefined
  /** In which language the file says what it says itself; default: English. */
  language?: string | undefined
}

/** What a session is exported from. Everything it gives is without secrets. */
export interface ExportSource {
  session: Session
  /** The names of the folder that it lies in, from the outside. */
  folder: string[]
  agents: AgentRecord[]
  store: Store
  blobs: Blobs
  /** One branch from its root; a long one is never held as a whole. */
  branch(at: Conversation, leaf?: string): AsyncGenerator<StoredMessage>
  /** The whole tree, in the order in which it was stored. */
  all(at: Conversation): AsyncGenerator<StoredMessage>
  clean<T>(value: T): T
}

/** Messages may be large, and a page is read in one go. */
const pageSize = 20

export async function openExport(
  session: Session,
  { store, blobs, redact }: { store: Store; blobs: Blobs; redact: (text: string) => string },
): Promise<ExportSource> {
  const folders = await store.folders.list(session.workspaceId)
  const folder = folders.find(({ id }) => id === session.folderId)
  const outer = folders.find(({ id }) => id === folder?.parentFolderId)
  return {
    session: clean(session),
    folder: [outer, folder].flatMap((one) => (one === undefined ? [] : [one.name])),
    agents: clean(await store.agents.list(session.id)),
    store,
    blobs,
    branch,
    all,
    clean,
  }

  /** Texts of JSON are searched as they stand in it; what is found nowhere is handed on as it is. */
  function clean<T>(value: T): T {
    const text = JSON.stringify(value)
    const safe = redact(text)
    return safe === text ? value : (JSON.parse(safe) as T)
  }

  async function* branch(at: Conversation, leaf?: string): AsyncGenerator<StoredMessage> {
    const last = leaf ?? (await store.messages.latestLeaf(at))
    if (last === undefined) return
    for await (const message of store.messages.walk(at, last)) yield clean(message)
  }

  async function* all(at: Conversation): AsyncGenerator<StoredMessage> {
    for (let after: number | null = 0; after !== null;) {
      const page: Awaited<ReturnType<Store['messages']['page']>> = await store.messages.page(at, {
        after,
        limit: pageSize,
      })
      for (const message of page.messages) yield clean(message)
      after = page.next
    }
  }
}
