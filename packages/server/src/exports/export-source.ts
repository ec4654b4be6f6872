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
  /** One branch from its root, page by page, so that a long one is never held as a whole. */
  branch(at: Conversation, leaf?: string): AsyncGenerator<StoredMessage>
  /** The whole tree, in the order in which it was stored. */
  all(at: Conversation): AsyncGenerator<StoredMessage>
  clean<T>(value: T): T
}

const pageSize = 200

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
    // From the tail to the root only the beginnings of pages are kept; then the pages are read again, from the root.
    const ends: (string | undefined)[] = [undefined]
    for (;;) {
      const before = ends.at(-1)
      const { page } = await store.messages.branch(at, { leaf: last, limit: pageSize, ...(before && { before }) })
      if (!page.hasMore || page.before === null) break
      ends.push(page.before)
    }
    for (const before of ends.reverse()) {
      const { messages } = await store.messages.branch(at, { leaf: last, limit: pageSize, ...(before && { before }) })
      for (const message of messages) yield clean(message)
    }
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
