import { createHash } from 'node:crypto'
import type { Blobs } from '@troupe/core'
import { isId, type Metadata, type Part, type StoredMessage } from '@troupe/protocol'
import { cleanTitle, defaultTitle, titleFrom } from '../../stores/sql/message-text.ts'
import type { SessionBundle } from '../../stores/sql/restore.ts'

type Pausing = Pick<ImportFiles, 'breathe'>

interface ForeignSession {
  /** Prefix of the id, so that exports of different programs never collide. */
  prefix: string
  id: string
  title: string
  createdAt: number | undefined
  updatedAt: number | undefined
  pinned?: boolean
  archived?: boolean
  /** Leaf of the last viewed branch. Default: the newest message. */
  current?: string
  messages: ForeignMessage[]
}

/**
 * Converts a foreign session to ours. Ids derive from the original ones, so the same chat always becomes the same
 * session. The last viewed branch comes last, so that it is shown. Empty messages are dropped and their children move
 * up. Messages with lost or cyclic parents become roots. Consecutive pieces of an answer are merged.
 */
export async function buildSession({ breathe }: Pausing, given: ForeignSession): Promise<ImportedSession> {
  const kept = await joinAnswers(await linkTree(given.messages, given.current, breathe), breathe)
  const id = stableId(given.prefix, given.id)
  let last = given.createdAt ?? 0
  const messages: StoredMessage[] = []
  for (const message of kept) {
    await breathe()
    last = message.createdAt ?? last + 1
    messages.push({
      id: stableId('', message.id),
      parentMessageId: message.parentId === null ? null : stableId('', message.parentId),
      role: message.role,
      parts: message.parts,
      ...(message.metadata !== undefined && { metadata: message.metadata }),
      createdAt: last,
    })
  }
  const title = cleanTitle(given.title).slice(0, 500)
  const first = messages.find(({ role }) => role === 'user')
  const createdAt = given.createdAt ?? messages[0]?.createdAt ?? 0
  const newest = messages.reduce((most, message) => Math.max(most, message.createdAt), createdAt)
  return {
    session: {
      id,
      title: title || ((first && titleFrom(first.parts)) ?? defaultTitle),
      renamed: title !== '',
      pinned: given.pinned ?? false,
      archived: given.archived ?? false,
      folder: [],
      trashedAt: null,
      model: null,
      agent: null,
      mode: 'default',
      rules: [],
      createdAt,
      updatedAt: given.updatedAt ?? newest,
    },
    agents: [],
    messages: messages.map((message) => ({ agentId: '', message })),
    asks: [],
  }
}

/** Returns the original id if it is valid here, else one derived from it. */
function stableId(prefix: string, id: string): string {
  const own = `${prefix}${id}`
  return isId(own) ? own : `${prefix}${createHash('sha256').update(id).digest('base64url').slice(0, 32)}`
}

/** Orders parents before children and drops empty messages. */
async function linkTree(
  messages: ForeignMessage[],
  current: string | undefined,
  breathe: Pausing['breathe'],
): Promise<ForeignMessage[]> {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const seen = ancestorIds(byId, byId.has(current ?? '') ? current : newestMessageId(messages))
  const parents = await nonEmptyParents(byId, breathe)
  const children = Map.groupBy(
    [...byId.values()].filter((message) => !isEmpty(message)),
    ({ id }) => parents.get(id) ?? null,
  )
  const below = (id: string | null): ForeignMessage[] =>
    (children.get(id) ?? []).toSorted((a, b) => Number(seen.has(a.id)) - Number(seen.has(b.id)))
  const ordered: ForeignMessage[] = []
  const waiting = below(null).toReversed()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await breathe()
    ordered.push({ ...next, parentId: parents.get(next.id) ?? null })
    for (const message of below(next.id).toReversed()) waiting.push(message)
  }
  return ordered
}

/** Returns each message's nearest non-empty ancestor. Null if its ancestors form a cycle. */
async function nonEmptyParents(
  byId: Map<string, ForeignMessage>,
  breathe: Pausing['breathe'],
): Promise<Map<string, string | null>> {
  const parents = new Map<string, string | null>()
  const endless = new Set<string>()
  for (const id of byId.keys()) {
    // Walks up to the root or a resolved parent, then back, so each message is visited once.
    const way = new Set<string>()
    let at: string | null = id
    while (at !== null && byId.has(at) && !parents.has(at) && !way.has(at)) {
      way.add(at)
      at = byId.get(at)?.parentId ?? null
    }
    const isEndless: boolean = at !== null && (way.has(at) || endless.has(at))
    for (const own of [...way].reverse()) {
      await breathe()
      const above = byId.get(byId.get(own)?.parentId ?? '')
      if (isEndless) endless.add(own)
      if (isEndless || above === undefined) parents.set(own, null)
      else parents.set(own, isEmpty(above) ? (parents.get(above.id) ?? null) : above.id)
    }
  }
  return parents
}

function newestMessageId(messages: ForeignMessage[]): string | undefined {
  const dated = messages.filter((message) => message.createdAt !== undefined && !isEmpty(message))
  return dated.reduce<ForeignMessage | undefined>(
    (newest, message) => (newest === undefined || message.createdAt! >= newest.createdAt! ? message : newest),
    undefined,
  )?.id
}

function ancestorIds(byId: Map<string, ForeignMessage>, from: string | undefined): Set<string> {
  const way = new Set<string>()
  for (let at = from; at !== undefined && !way.has(at); at = byId.get(at)?.parentId ?? undefined) way.add(at)
  return way
}

/** Merges consecutive answers that have no siblings. */
async function joinAnswers(messages: ForeignMessage[], breathe: Pausing['breathe']): Promise<ForeignMessage[]> {
  const childCount = new Map<string, number>()
  for (const { parentId } of messages)
    if (parentId !== null) childCount.set(parentId, (childCount.get(parentId) ?? 0) + 1)
  const joined = new Map<string, ForeignMessage>()
  const kept: ForeignMessage[] = []
  for (const message of messages) {
    await breathe()
    const above = message.parentId === null ? undefined : joined.get(message.parentId)
    if (above?.role === 'assistant' && message.role === 'assistant' && childCount.get(message.parentId!) === 1) {
      addParts(above.parts, message.parts)
      Object.assign((above.metadata ??= {}), message.metadata)
      joined.set(message.id, above)
    } else {
      const own = { ...message, parentId: above?.id ?? null, parts: [] }
      if (message.metadata !== undefined) own.metadata = { ...message.metadata }
      addParts(own.parts, message.parts)
      joined.set(message.id, own)
      kept.push(own)
    }
  }
  return kept
}

/** A result attaches to its pending call. Content after a result starts a new step. */
function addParts(parts: Part[], more: Part[]): void {
  for (const part of more) {
    const last = parts.at(-1)
    const isAfterResult = last?.type === 'dynamic-tool' && part.type !== 'dynamic-tool'
    if (isAfterResult && part.type !== 'step-start') parts.push({ type: 'step-start' })
    parts.push(part)
  }
}

function isEmpty({ parts }: ForeignMessage): boolean {
  return parts.every((part) => (part.type === 'text' || part.type === 'reasoning') && part.text.trim() === '')
}

/** A program whose exports can be read. Detected by content, never by file name. */
export interface Importer {
  name: string
  accepts(entry: unknown): boolean
  read(entry: unknown, files: ImportFiles): Promise<ImportedSession>
}

export interface ImportFiles {
  blobs: Blobs
  /** Returns the archive file whose name starts with this, or undefined if it is missing or too large. */
  find(name: string): Promise<{ bytes: Uint8Array; name: string } | undefined>
  /** Yields to the event loop between messages. Throws if the import was canceled. */
  breathe(): Promise<void>
  /** Reports a part of the chat that cannot be imported. The rest is. */
  report(problem: string): void
}

/** A session without its workspace. `folder` lists its folder names, outermost first. */
export interface ImportedSession {
  session: Omit<SessionBundle['session'], 'workspaceId' | 'projectId' | 'folderId'> & { folder: string[] }
  agents: SessionBundle['agents']
  messages: SessionBundle['messages']
  asks: SessionBundle['asks']
}

/** A message of another program's tree, with that program's ids. */
export interface ForeignMessage {
  id: string
  parentId: string | null
  role: 'user' | 'assistant'
  parts: Part[]
  metadata?: Metadata
  createdAt: number | undefined
}
