import { hash as digest } from 'node:crypto'
import {
  type AgentFrame,
  type AgentState,
  buildTools,
  planFileOf,
  type SandboxFinding,
  type Session,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import { dataParts, type StoredMessage } from '@troupe/protocol'
import type { ModelCallStart } from '../runs/run-services.ts'
import { createPrefaces, instructionBlocks, type PrefaceOptions, type PromptBlock } from '../runs/system-prompt.ts'

/** Prompt context of each session: its preface, and the parts of its newest model call. */
export interface Context {
  blocks(
    session: Session,
    workspace: Workspace,
    frame: AgentFrame,
    prompt: string,
    now?: { history?: readonly StoredMessage[]; page?: string | undefined },
  ): Promise<PromptBlock[]>
  onStart(session: Session, call: ModelCallStart): void
  lastCalls: LastCalls
  /** See `Prefaces.outdate`. */
  outdate(workspaceId?: string): Promise<void>
  forget(sessionId: string): Promise<void>
}

export function openContext(
  options: Omit<PrefaceOptions, 'store'> & {
    store: Store
    sandbox: SandboxFinding
    permissions: { modeOf(session: Session): string }
    states: { of(session: Session, workspace: Workspace): AgentState }
  },
): Context {
  const { store, sandbox, logger, permissions, states } = options
  const prefaces = createPrefaces(options)
  const lastCalls = createLastCalls(store)
  return {
    lastCalls,
    outdate: prefaces.outdate,
    async blocks(session, workspace, frame, prompt, { history, page } = {}) {
      const isPlanning = permissions.modeOf(session) === 'plan'
      const planFile = isPlanning ? planFileOf(states.of(session, workspace)) : undefined
      const preface = await prefaces.of(session, workspace, history)
      return instructionBlocks({ prompt, frame, preface, sandbox, page, planFile })
    },
    onStart(session, { model, ...call }) {
      lastCalls
        .note(session.id, { ...call, model: model.id })
        .catch((error: unknown) => logger({ level: 'warn', message: 'a call was not noted', error: String(error) }))
    },
    async forget(sessionId) {
      await prefaces.forget(sessionId)
      await lastCalls.forget(sessionId)
    },
  }
}

/** Names and hashes of the newest model call's prompt parts, to detect later changes. */
interface LastCall {
  at: number
  model: string
  userMessageId: string
  /** Compactions the user turned off. */
  undone: string[]
  blocks: [name: string, hash: string][]
}

export interface LastCalls {
  note(sessionId: string, call: CallToNote): Promise<void>
  get(sessionId: string): Promise<LastCall | undefined>
  forget(sessionId: string): Promise<void>
}

interface CallToNote {
  model: string
  blocks: readonly PromptBlock[]
  tools: readonly Tool[]
  userMessageId: string
  history: readonly StoredMessage[]
}

/** Maximum records in memory. Others are read from the store. */
const maxHeld = 1000

/** Stores a record only if it differs from the previous call, which is rare. */
function createLastCalls(store: Pick<Store, 'settings' | 'transaction'>): LastCalls {
  const held = new Map<string, LastCall>()
  return {
    async note(sessionId, { model, blocks, tools, userMessageId, history }) {
      const before = held.get(sessionId)
      const noted: LastCall = {
        at: Date.now(),
        model,
        userMessageId,
        undone: switchedOffCompactions(history),
        blocks: fingerprints(blocks, tools),
      }
      if (held.size >= maxHeld) held.delete(held.keys().next().value as string)
      held.set(sessionId, noted)
      const isSame = before?.model === model && isSameList(before.blocks, noted.blocks)
      if (isSame) return
      await store.transaction((inside) => inside.settings.set(lastCallKey(sessionId), noted), { canWait: true })
    },
    async get(sessionId) {
      return held.get(sessionId) ?? ((await store.settings.get(lastCallKey(sessionId))) as LastCall | undefined)
    },
    async forget(sessionId) {
      held.delete(sessionId)
      await store.settings.set(lastCallKey(sessionId), undefined)
    },
  }
}

/** Returns the name of the first part of the next call that differs from the newest one. */
export function cacheBreak(
  last: LastCall,
  now: { blocks: LastCall['blocks']; chain: readonly StoredMessage[] },
): string | undefined {
  const { blocks, chain } = now
  const at = Math.max(blocks.length, last.blocks.length)
  for (let i = 0; i < at; i++) {
    const [before, after] = [last.blocks[i], blocks[i]]
    if (before?.[0] === after?.[0] && before?.[1] === after?.[1]) continue
    const isGone = before !== undefined && !blocks.some(([name]) => name === before[0])
    return isGone ? `${before[0]} (left out)` : (after ?? before)?.[0]
  }
  if (!chain.some(({ id }) => id === last.userMessageId)) return 'another branch'
  return switchedOffCompactions(chain).join() === last.undone.join() ? undefined : 'a summary that was switched'
}

function switchedOffCompactions(messages: readonly StoredMessage[]): string[] {
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => {
      const data = part.type === 'data-compaction' ? dataParts.compaction.schema.safeParse(part.data).data : undefined
      return data?.off === true ? [data.id] : []
    })
}

/** Providers cache tools first, then the instructions. */
export function fingerprints(blocks: readonly PromptBlock[], tools: readonly Tool[]): LastCall['blocks'] {
  const shown = hash(buildTools(tools).map(toolHash).join())
  return [internFingerprint('tools', shown), ...blocks.map(({ name, text }) => internFingerprint(name, textHash(text)))]
}

/** Interned fingerprints are the same object. */
function isSameList(one: LastCall['blocks'], other: LastCall['blocks']): boolean {
  return one.length === other.length && one.every((fingerprint, index) => fingerprint === other[index])
}

/** Interned, because hundreds of waiting sessions have nearly the same blocks. */
const fingerprintCache = new Map<string, [name: string, hash: string]>()
const maxFingerprints = 5000

function internFingerprint(name: string, hashed: string): [name: string, hash: string] {
  const key = `${hashed} ${name}`
  const known = fingerprintCache.get(key)
  if (known !== undefined) return known
  if (fingerprintCache.size >= maxFingerprints) fingerprintCache.clear()
  const made: [string, string] = [name, hashed]
  fingerprintCache.set(key, made)
  return made
}

const toolHashes = new WeakMap<object, string>()

function toolHash(tool: ReturnType<typeof buildTools>[number]): string {
  const known = toolHashes.get(tool) ?? hash(JSON.stringify(tool))
  toolHashes.set(tool, known)
  return known
}

const textHashes = new Map<string, string>()
const maxTexts = 200

/** Chats share most of their blocks, so the texts are held anyway. */
function textHash(text: string): string {
  const known = textHashes.get(text)
  if (known !== undefined) return known
  const made = hash(text)
  if (textHashes.size >= maxTexts) textHashes.clear()
  textHashes.set(text, made)
  return made
}

function hash(text: string): string {
  return digest('sha256', text).slice(0, 16)
}

function lastCallKey(sessionId: string): string {
  return `last-call:${sessionId}`
}
