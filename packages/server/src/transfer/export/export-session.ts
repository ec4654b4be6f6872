import type { AgentRecord, Blobs, Conversation, Session, Store } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import { sessionFormat } from '../import/troupe.ts'
import { en, type ExportTexts } from './languages/en.ts'
import { zh } from './languages/zh.ts'

export interface ExportOptions {
  /** Leaf of the branch to export. Default: the newest. */
  leaf?: string | undefined
  /** Language of the file's own labels. Default: English. */
  language?: string | undefined
  /** An HTML page prints itself once loaded. */
  prints?: boolean
}

/** Data source of an export. Everything it returns is redacted. */
export interface ExportSource {
  session: Session
  /** Names of its folder path, outermost first. */
  folder: string[]
  agents: AgentRecord[]
  store: Store
  blobs: Blobs
  /** Yields one branch from its root. Never loads a long one completely. */
  branch(at: Conversation, leaf?: string): AsyncGenerator<StoredMessage>
  /** Yields the whole tree in stored order. */
  all(at: Conversation): AsyncGenerator<StoredMessage>
  clean<T>(value: T): T
}

/** Messages may be large, and a page is loaded at once. */
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

  /** Redacts the JSON text. Returns the value itself if nothing was found. */
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

const languages = [en, zh]

/** Returns the labels for a language tag such as `zh` or `zh-CN`. Default: English. */
export function exportTexts(tag = 'en'): ExportTexts {
  const [wanted] = tag.toLowerCase().split('-')
  return languages.find((texts) => texts.tag === wanted) ?? en
}

/** Data missing from a JSON export. An import cannot restore it. */
const leavesOut = ['runs', 'run-logs', 'files of output/, jsx/ and artifacts/']

/** Exports everything needed to import the same session: the whole tree, or one branch and its dependents. */
export async function* exportJson(source: ExportSource, { leaf }: ExportOptions = {}): AsyncGenerator<string> {
  const { workspaceId: _w, projectId: _p, folderId: _f, messageCount: _m, ...session } = source.session
  const at = { sessionId: session.id }
  const blobs = new Set<string>()
  const calls = new Set<string>()
  const head = { format: sessionFormat, version: 1, exportedAt: Date.now(), leavesOut }
  yield `${JSON.stringify(head).slice(0, -1)},\n"session":${JSON.stringify({ ...session, folder: source.folder })},\n`
  yield '"messages":['
  yield* lines(leaf === undefined ? source.all(at) : source.branch(at, leaf))
  yield '],\n"agents":['
  let comma = ''
  for (const left = new Set(source.agents); ;) {
    const next = left.values().find(belongs)
    if (next === undefined) break
    left.delete(next)
    const { sessionId: _, ...agent } = next
    yield `${comma}\n${JSON.stringify(agent).slice(0, -1)},"messages":[`
    yield* lines(source.all({ ...at, agentId: agent.agentId }))
    yield ']}'
    comma = ','
  }
  yield '],\n"asks":['
  const asks = (await source.store.asks.list({ sessionId: session.id })).filter((ask) => calls.has(ask.toolCallId))
  yield asks.map((ask) => `\n${JSON.stringify(source.clean(ask))}`).join(',')
  yield '],\n"blobs":{'
  let first = true
  for (const sha256 of blobs) {
    const blob = await source.blobs.get(sha256)
    if (blob === undefined) continue
    const { mediaType, bytes } = blob
    yield `${first ? '' : ','}\n"${sha256}":${JSON.stringify({ mediaType, base64: Buffer.from(bytes).toString('base64') })}`
    first = false
  }
  yield '}}\n'

  /** Excludes agents started by other branches and deleted messages. */
  function belongs({ details }: AgentRecord): boolean {
    return details === undefined ? leaf === undefined : calls.has(details.toolCallId)
  }

  async function* lines(messages: AsyncIterable<StoredMessage>): AsyncGenerator<string> {
    let isFirst = true
    for await (const message of messages) {
      await yieldToEventLoop()
      const text = JSON.stringify(message)
      await yieldToEventLoop()
      for (const part of message.parts) if ('toolCallId' in part) calls.add(part.toolCallId)
      for (const [, sha256 = ''] of text.matchAll(/\/ai\/blobs\/([0-9a-f]{64})/g)) blobs.add(sha256)
      yield `${isFirst ? '' : ','}\n${text}`
      isFirst = false
    }
  }
}
