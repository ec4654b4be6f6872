import type { Store } from '@troupe/core'
import { isId, NamedError, newId, type StoredMessage } from '@troupe/protocol'
import { setSlots, type Slots } from '../prompt/slots.ts'
import type { Extension, TurnContext, TurnEnd } from '../turn/turn.ts'
import {
  openWindow,
  recordedInput,
  recordedOutput,
  type Recording,
  type RecordMode,
  type Resize,
  resizeWindow,
  type WindowLimits,
} from './session-window.ts'

/** Creates an in-memory session store, for programs that keep no history after they exit. */
export function createMemoryStore(): SessionStore {
  const workspaces = new Map<string, { id: string }>()
  const sessions = new Set<string>()
  const messages = new Map<string, Map<string, StoredMessage>>()
  return {
    workspaces: {
      open(path) {
        const known = workspaces.get(path) ?? { id: newId() }
        workspaces.set(path, known)
        return Promise.resolve({ ...known })
      },
    },
    sessions: {
      get: (id) => Promise.resolve(sessions.has(id) ? { id } : undefined),
      create({ id }) {
        if (sessions.has(id)) return Promise.reject(alreadyExistsError('SessionExists', id))
        sessions.add(id)
        return Promise.resolve()
      },
    },
    messages: {
      add({ sessionId }, message) {
        const session = messages.get(sessionId) ?? new Map<string, StoredMessage>()
        messages.set(sessionId, session)
        if (session.has(message.id)) return Promise.reject(alreadyExistsError('MessageExists', message.id))
        session.set(message.id, structuredClone(message))
        return Promise.resolve()
      },
      chain({ sessionId }, leafId) {
        const chain: StoredMessage[] = []
        const session = messages.get(sessionId)
        for (let next = session?.get(leafId); next !== undefined; next = session?.get(next.parentMessageId ?? '')) {
          if (chain.length > (session?.size ?? 0)) break
          chain.unshift(structuredClone(next))
        }
        return Promise.resolve(chain)
      },
      latestLeaf: ({ sessionId }) => Promise.resolve([...(messages.get(sessionId)?.keys() ?? [])].at(-1)),
    },
  }
}

function alreadyExistsError(name: string, id: string): NamedError {
  return new NamedError(name, `"${id}" already exists.`, { status: 409, data: { id } })
}

export interface SessionStore {
  workspaces: { open(path: string): Promise<{ id: string }> }
  sessions: {
    get(id: string): Promise<{ id: string } | undefined>
    create(session: { id: string; workspaceId: string }): Promise<unknown>
  }
  messages: Pick<Store['messages'], 'add' | 'chain' | 'latestLeaf'>
}

export interface ChatSessionOptions {
  id?: string
  /** With the workspace's own store the conversation opens in the web app. Default: memory. */
  store?: SessionStore
  /** Workspace folder of the session. Default: the current folder. */
  workspace?: string
  /** Limits the history included in a prompt. Default: all of it. */
  window?: WindowLimits
  /** Called when the window is exceeded. Returns how many messages to keep and a memo of the rest. */
  resize?: Resize
}

/**
 * Remembers turns: records each successful turn, and prepends the recorded history to the next. Opt-in:
 * `agent.use(session)`. A run belongs to the session that was active when it started, even if another is activated
 * meanwhile.
 */
export class ChatSession implements Extension {
  readonly #options: ChatSessionOptions
  readonly #store: SessionStore
  readonly #begun = new Map<string, { id: string; prompt: Slots }>()
  #input: Recording = { paths: [], mode: 'all' }
  #output: Recording = { paths: [], mode: 'all' }
  #id: string | undefined
  #writing: Promise<void> = Promise.resolve()

  /** Use `chatSession`. */
  constructor(options: ChatSessionOptions) {
    this.#options = options
    this.#store = options.store ?? createMemoryStore()
    if (options.id !== undefined) this.#id = checkedId(options.id)
  }

  get id(): string | undefined {
    return this.#id
  }

  /** Activates a session, a new one without an id, and returns its id. */
  activate(id: string = newId()): string {
    this.#id = checkedId(id)
    return id
  }

  /** Turns after this call neither see a history nor are recorded. */
  stop(): void {
    this.#id = undefined
  }

  /**
   * Selects the parts of a prompt to record: slots, or paths in them (`input.question`, `info/items/0`). Default: the
   * input, or the whole prompt if there is none.
   */
  recordInput(paths: string | readonly string[], options: { mode?: RecordMode } = {}): this {
    this.#input = { paths: [paths].flat(), mode: options.mode ?? 'all' }
    return this
  }

  /** Selects the parts of an answer to record, as paths in its data. Default: the answer as the model wrote it. */
  recordOutput(paths: string | readonly string[], options: { mode?: RecordMode } = {}): this {
    this.#output = { paths: [paths].flat(), mode: options.mode ?? 'all' }
    return this
  }

  /** Returns all recorded messages, oldest first. */
  async messages(id: string | undefined = this.#id): Promise<StoredMessage[]> {
    if (id === undefined) return []
    const at = { sessionId: id }
    const leaf = (await this.#store.sessions.get(id)) && (await this.#store.messages.latestLeaf(at))
    return leaf === undefined ? [] : this.#store.messages.chain(at, leaf)
  }

  async requestPrefix(ctx: TurnContext): Promise<void> {
    const id = this.#id
    if (id === undefined) return
    ctx.session = id
    this.#begun.set(ctx.id, { id, prompt: ctx.prompt })
    const { messages, memo } = openWindow(await this.messages(id), this.#options.window)
    ctx.prompt = setSlots(ctx.prompt, {
      history: [...messages, ...(ctx.prompt.history ?? [])],
      ...(memo !== '' && { 'CHAT SESSION MEMO': memo }),
    })
  }

  async finally(end: TurnEnd): Promise<void> {
    const begun = this.#begun.get(end.id)
    this.#begun.delete(end.id)
    if (begun === undefined || end.result === undefined) return
    // Serialized, so that concurrent turns form one line instead of branches.
    const write = this.#writing.then(() => this.#record(begun, end))
    this.#writing = write.catch(() => undefined)
    await write
  }

  async #record({ id, prompt }: { id: string; prompt: Slots }, end: TurnEnd): Promise<void> {
    const { window, resize } = this.#options
    const at = { sessionId: id }
    const earlier = await this.messages(id)
    if ((await this.#store.sessions.get(id)) === undefined) await this.#create(id)
    const user = recordedInput(prompt, this.#input, earlier.at(-1)?.id ?? null)
    const written = recordedOutput(end, this.#output, user.id)
    const answer = await resizeWindow([...earlier, user, written], window, resize)
    await this.#store.messages.add(at, user)
    await this.#store.messages.add(at, answer)
  }

  async #create(id: string): Promise<void> {
    const workspace = await this.#store.workspaces.open(this.#options.workspace ?? process.cwd())
    await this.#store.sessions.create({ id, workspaceId: workspace.id })
  }
}

/** Creates a conversation for `agent.use`; see `ChatSession`. */
export function chatSession(options: ChatSessionOptions = {}): ChatSession {
  return new ChatSession(options)
}

function checkedId(id: string): string {
  const given: unknown = id
  if (isId(given)) return given
  throw new NamedError('BadId', `"${String(id)}" is not a valid id. Use 1 to 64 letters, digits, "_" or "-".`, {
    data: { id },
  })
}
