import { hash } from 'node:crypto'
import {
  type AgentState,
  type Change,
  isInside,
  type RanCommand,
  shownPath,
  type Store,
  undoable,
  type Workspace,
} from '@troupe/core'
import { type ChangedFile, type ChangeTurn, type CommandFile, NamedError } from '@troupe/protocol'
import { yieldToEventLoop } from '../util/concurrency.ts'
import { commandFiles, type CommittedFiles } from './command-files.ts'
import { type Content, currentContent, fileDiff } from './file-diff.ts'

export interface ChatFiles {
  store: Store
  sessionId: string
  state: Pick<AgentState, 'roots' | 'undo'>
  workspace: Workspace
  committed: CommittedFiles
}

/** Turns with changes or commands, the newest first. */
export async function listTurns(chat: ChatFiles): Promise<ChangeTurn[]> {
  const { changes, commands, questions, turnOf } = await readHistory(chat)
  return questions.toReversed().flatMap(({ id, text, createdAt }): ChangeTurn[] => {
    const own = changes.filter((change) => turnOf(change) === id && change.undoes === undefined)
    const ran = commands.filter((command) => turnOf(command) === id)
    if (own.length + ran.length === 0) return []
    const files = new Set(own.map(({ path }) => path)).size
    const isUndone = own.length > 0 && own.every(({ undone }) => undone)
    return [{ messageId: id, text, createdAt, files, commands: ran.length, isUndone }]
  })
}

export interface ChangedRequest {
  turn?: string | undefined
  call?: string | undefined
  secret: boolean
  offset: number
  limit: number
}

interface ChangedPage {
  files: ChangedFile[]
  total: number
  next: number | null
  commands: string[]
  commandFiles: CommandFile[]
  isCommandFilesCut: boolean
}

/** Files of the chat, of a turn or of a call, in the order of their first change. */
export async function changedFiles(chat: ChatFiles, request: ChangedRequest): Promise<ChangedPage> {
  const { turn, call, secret, offset, limit } = request
  const { changes, commands, questions, turnOf } = await readHistory(chat)
  const isMeant = (one: Change | RanCommand): boolean =>
    (turn === undefined || turnOf(one) === turn) && (call === undefined || one.mark.toolCallId === call)
  const isNet = turn === undefined && call === undefined
  const meant = changes.filter(isMeant)
  const byPath = Map.groupBy(meant, ({ path }) => path)
  const paths = [...byPath.keys()]
  const files: ChangedFile[] = []
  for (const path of paths.slice(offset, offset + limit)) {
    await yieldToEventLoop()
    const file = await changedFile(chat, path, { changes: byPath.get(path) ?? [], isNet, secret })
    if (file !== undefined) files.push(file)
  }
  const end = offset + limit
  const ran = commands.filter(isMeant)
  const next = turn === undefined ? undefined : questions[questions.findIndex(({ id }) => id === turn) + 1]
  const others =
    offset > 0 || call !== undefined
      ? { files: [], isCut: false }
      : await commandFiles(chat, {
          workspace: chat.workspace,
          committed: chat.committed,
          commands: ran,
          known: new Set(changes.map(({ path }) => path)),
          until: next?.createdAt,
          secret,
        })
  return {
    files,
    total: paths.length,
    next: end < paths.length ? end : null,
    commands: ran.map(({ command }) => command).slice(-maxCommands),
    commandFiles: others.files,
    isCommandFilesCut: others.isCut,
  }
}

const maxCommands = 50

interface FileChanges {
  /** Oldest first, of one path. */
  changes: readonly Change[]
  /** Compare with the file as it is, not as it was after the last of the changes. */
  isNet: boolean
  secret: boolean
}

async function changedFile(
  { state, sessionId }: ChatFiles,
  path: string,
  { changes, isNet, secret }: FileChanges,
): Promise<ChangedFile | undefined> {
  const now = await currentContent(path)
  const shown = shownPath(path, state.roots[0] ?? path)
  const calls = [...new Set(changes.filter((one) => !one.undone && one.undoes === undefined).map(callOf))]
  const base = { path: shown, version: now.sha256, calls }
  if (now.note !== undefined)
    return { ...base, change: 'changed', diff: '', added: 0, removed: 0, hunks: [], note: now.note }
  const [first, last] = [changes[0], changes.at(-1)]
  const before = isNet ? await originalOf() : await contentOf(first?.before)
  const after = isNet ? now.content : await contentOf(last?.after)
  return fileDiff({ ...base, before, after, secret })

  async function originalOf(): Promise<Content> {
    const found = await state.undo.original(path, { sessionId })
    return found?.bytes
  }

  async function contentOf(sha256: string | null | undefined): Promise<Content> {
    if (sha256 === null || sha256 === undefined) return sha256
    return sha256 === now.sha256 ? now.content : state.undo.version(path, sha256)
  }
}

function callOf({ mark }: Change): string {
  return mark.toolCallId
}

interface Question {
  id: string
  text: string
  createdAt: number
}

interface History {
  /** Oldest first. */
  changes: Change[]
  commands: RanCommand[]
  questions: Question[]
  /** The user message that a change belongs to. Undefined for a change that a person made. */
  turnOf(one: Change | RanCommand): string | undefined
}

/** Changes of sub-agents belong to the turn in which they were made. */
export async function readHistory({ store, sessionId, state }: ChatFiles): Promise<History> {
  const [changes, commands, tree] = await Promise.all([
    state.undo.list({ sessionId }),
    state.undo.commands({ sessionId }),
    store.messages.tree({ sessionId }),
  ])
  const questions = tree.filter(({ role }) => role === 'user').toSorted((one, other) => one.createdAt - other.createdAt)
  const asked = new Map(
    tree.flatMap(({ id, role, parentMessageId }) =>
      role === 'user' ? [[id, id]] : parentMessageId === null ? [] : [[id, parentMessageId]],
    ),
  )
  const isInRoots = ({ path }: Change): boolean => state.roots.some((root) => isInside(path, root))
  return {
    changes: changes.filter(isInRoots).toReversed(),
    commands: commands.toReversed(),
    questions,
    turnOf({ mark: { messageId }, createdAt }) {
      if (messageId.startsWith('revert_')) return undefined
      return asked.get(messageId) ?? questions.findLast((question) => question.createdAt <= createdAt)?.id
    },
  }
}

export interface Rewind {
  /** To undo, newest first. */
  changes: Change[]
  commands: RanCommand[]
  /** Changes with every change to undo. */
  version: string
}

/**
 * Everything since a message: before a user message was sent, or after an answer was complete. Throws
 * `MessageNotFound`.
 */
export async function findRewind(chat: ChatFiles, messageId: string): Promise<Rewind> {
  const { changes, commands, questions, turnOf } = await readHistory(chat)
  const message = await chat.store.messages.get({ sessionId: chat.sessionId }, messageId)
  if (message === undefined) throw new NamedError('MessageNotFound', 'This message does not exist.', { status: 404 })
  const question = message.role === 'user' ? message.id : message.parentMessageId
  const place = questions.findIndex(({ id }) => id === question)
  const first = questions[message.role === 'user' ? place : place + 1]
  const times = new Map(questions.map(({ id, createdAt }) => [id, createdAt]))
  const isSince = (one: Change | RanCommand): boolean =>
    first !== undefined && (times.get(turnOf(one) ?? '') ?? one.createdAt) >= first.createdAt
  const meant = undoable(changes.filter(isSince).toReversed())
  return {
    changes: meant,
    commands: commands.filter(isSince),
    version: hash('sha256', meant.map(({ id }) => id).join(' '), 'hex').slice(0, 32),
  }
}

/** Files as a rewind would leave them, against the files as they are. */
export async function previewRewind(
  chat: ChatFiles,
  { changes }: Rewind,
): Promise<{ files: ChangedFile[]; skipped: { path: string; reason: string }[] }> {
  const files: ChangedFile[] = []
  const skipped: { path: string; reason: string }[] = []
  for (const [path, own] of Map.groupBy(changes, (change) => change.path)) {
    await yieldToEventLoop()
    const shown = shownPath(path, chat.state.roots[0] ?? path)
    const now = await currentContent(path)
    const { target, isWhole } = walkBack(own, now.sha256 === '' ? null : now.sha256)
    if (!isWhole) skipped.push({ path: shown, reason: 'it has been changed since by someone else or by a command' })
    const after = target === null ? null : await chat.state.undo.version(path, target)
    const file = await fileDiff({
      path: shown,
      before: now.content,
      after,
      version: now.sha256,
      calls: [...new Set(own.map(callOf))],
      secret: false,
    })
    if (file !== undefined) files.push(file)
  }
  return { files: files.slice(0, maxPreview), skipped }
}

const maxPreview = 200

/** Finds the changes of one file that can be undone from its current state. Newest first. */
export function walkBack(
  changes: readonly Change[],
  current: string | null,
): { target: string | null; isWhole: boolean } {
  let at = current
  for (const { before, after } of changes) {
    if (after !== at) return { target: at, isWhole: false }
    at = before
  }
  return { target: at, isWhole: true }
}
