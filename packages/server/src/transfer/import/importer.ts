import { createHash } from 'node:crypto'
import type { Blobs } from '@troupe/core'
import { isId, type Metadata, type Part, type StoredMessage } from '@troupe/protocol'
import { cleanTitle, defaultTitle, titleFrom } from '../../stores/sql/message-text.ts'
import type { SessionBundle } from '../../stores/sql/restore.ts'

type Pausing = Pick<ImportFiles, 'breathe'>

interface ForeignSession {
  /** Stands before the id, so that exports of different programs never meet. */
  prefix: string
  id: string
  title: string
  createdAt: number | undefined
  updatedAt: number | undefined
  pinned?: boolean
  archived?: boolean
  /** The end of the branch that the person saw last; else the newest message is it. */
  current?: string
  messages: ForeignMessage[]
}

/**
 * A session of ours from another program's. Ids follow from that program's: the same conversation is the same session
 * whenever it comes. The branch that was seen last comes last, so that it is the one that is shown. Messages that hold
 * nothing are left out and what is below them moves up, lost parents and circles
 * become roots, and what one answer was made of in several pieces becomes one message.
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

/** Another program's id where it can be one of ours, else one that follows from it. */
function stableId(prefix: string, id: string): string {
  const own = `${prefix}${id}`
  return isId(own) ? own : `${prefix}${createHash('sha256').update(id).digest('base64url').slice(0, 32)}`
}

/** Parents before children; messages that hold nothing are gone. */
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

/** Of each message the nearest above it that holds something. One whose way up leads into a circle has none. */
async function nonEmptyParents(
  byId: Map<string, ForeignMessage>,
  breathe: Pausing['breathe'],
): Promise<Map<string, string | null>> {
  const parents = new Map<string, string | null>()
  const endless = new Set<string>()
  for (const id of byId.keys()) {
    // Up to the root or to one whose parent is known, then back: each message is passed once.
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

/** A message and everything above it. */
function ancestorIds(byId: Map<string, ForeignMessage>, from: string | undefined): Set<string> {
  const way = new Set<string>()
  for (let at = from; at !== undefined && !way.has(at); at = byId.get(at)?.parentId ?? undefined) way.add(at)
  return way
}

/** Answers that follow each other with nothing else beside them are one. */
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

/** A result finds the call that waits for it; what comes after a result is another step. */
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

/** One program whose exports are understood. The content tells which it is, never a file's name. */
export interface Importer {
  /** How the program calls itself. */
  name: string
  /** Whether an entry of a file is a conversation of this program. */
  accepts(entry: unknown): boolean
  /** Throws an Error that says what is wrong with it. */
  read(entry: unknown, files: ImportFiles): Promise<ImportedSession>
}

/** Bytes beside the conversations. */
export interface ImportFiles {
  blobs: Blobs
  /** The file of the archive whose name begins so; undefined where there is none, or it is too large. */
  find(name: string): Promise<{ bytes: Uint8Array; name: string } | undefined>
  /** Between messages: lets others have their turn. Throws once the import was given up. */
  breathe(): Promise<void>
  /** Something of the conversation cannot be taken; the rest is. */
  tell(problem: string): void
}

/** A session, its workspace aside. `folder` names where it lies, from the outside. */
export interface ImportedSession {
  session: Omit<SessionBundle['session'], 'workspaceId' | 'projectId' | 'folderId'> & { folder: string[] }
  agents: SessionBundle['agents']
  messages: SessionBundle['messages']
  asks: SessionBundle['asks']
}

/** A message of another program's tree. Ids are that program's own. */
export interface ForeignMessage {
  id: string
  parentId: string | null
  role: 'user' | 'assistant'
  parts: Part[]
  metadata?: Metadata
  createdAt: number | undefined
}
