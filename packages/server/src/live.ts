import {
  cleanMessage,
  createFold,
  createWriteLock,
  decide,
  NamedError,
  newId,
  readResume,
  run,
  type AgentFrame,
  type Answer,
  type Ask,
  type Blobs,
  type Chunk,
  type Limits,
  type LogItem,
  type Message,
  type Metadata,
  type PermissionRules,
  type Resume,
  type RunRecord,
  type RunStatus,
  type Session,
  type Store,
  type Tool,
} from '@troupe/core'
import { endProcesses } from './end-processes.ts'
import type { Inbox } from './inbox.ts'
import type { Journal } from './journal.ts'
import { createLiveLog, numberJump, type LiveLog } from './live-log.ts'
import type { Logger } from './logger.ts'
import type { Sink } from './subscriber.ts'

/** The runs that this process owns: at most one per session. */
export interface Live {
  /** Opens a run that answers a stored user message. Throws `SessionBusy` (409). */
  start(start: StartRun): Promise<LiveRun>
  get(sessionId: string): LiveRun | undefined
  /** Aborts the run of a session and waits until it is stored and closed. Undefined when there is none. */
  stop(sessionId: string): Promise<{ runId: string; ms: number } | undefined>
  /** Throws `NoRun` (409). Resolves when the message survives a crash. */
  steer(sessionId: string, message: { id: string; text: string }): Promise<void>
  answer(askId: string, answer: Answer): Promise<Ask>
  /** Takes up what an earlier process left unfinished. */
  recover(): Promise<void>
  /** Ends runs at the next safe point; runs that wait for a person stay as they are. */
  close(): Promise<void>
}

export interface StartRun {
  session: Session
  userMessageId: string
  request: RunRequest
  /** Stored parts that open the answer, and transient ones that open the stream. */
  opening?: Chunk[]
}

/** What a run is started with; stored, so that it can go on in another process. */
export interface RunRequest {
  model: string
  agent?: string
  mode?: string
  client?: string
  tab?: string
  page?: string
  headless?: boolean
  limits?: Partial<Limits>
  /** Added to the answer's metadata and parts when it is stored. */
  opening?: Chunk[]
}

export interface LiveRun {
  readonly id: string
  readonly sessionId: string
  readonly messageId: string
  readonly userMessageId: string
  readonly status: RunStatus
  readonly log: LiveLog
  /** Resolves when the message is stored and exported and the run is closed. */
  readonly done: Promise<Message>
  /** Resolves when it ends or waits for a person. */
  settled(): Promise<void>
  /** Sends everything after `after`; a number that this log never sent, or none, gets the whole run. */
  subscribe(sink: Sink, options: { after?: number; untilWaiting?: boolean }): () => void
}

/** What live runs need from around them. */
export interface LiveOptions {
  store: Store
  blobs: Blobs
  journal: Journal
  inbox: Inbox
  logger: Logger
  /** The model of an id; throws a NamedError that says what to set. */
  model(id: string): Promise<{ id: string; model: import('@ai-sdk/provider').LanguageModelV4 }>
  tools(session: Session): readonly Tool[]
  instructions(session: Session, frame: AgentFrame): Promise<string>
  workspace(session: Session): Promise<{ id: string; path: string }>
  rules(session: Session): PermissionRules
  limits(): Partial<Limits>
  recovery(): 'continue' | 'wait'
  credentials(provider: string): Promise<{ apiKey?: string; baseURL?: string } | undefined>
  stallMs?: number
}

export const shutdown = new NamedError('Shutdown', 'The server was stopped.')

export function createLive(options: LiveOptions): Live {
  const { store, inbox } = options
  const runs = new Map<string, LiveRun & Control>()
  const opening = new Set<string>()
  let closing = false

  return {
    async start({ session, userMessageId, request }) {
      if (closing) throw new NamedError('ShuttingDown', 'The server is stopping.', { status: 503 })
      claim(session.id)
      try {
        const record: RunRecord = {
          id: newId('run_'),
          sessionId: session.id,
          agentId: null,
          userMessageId,
          messageId: newId('msg_'),
          status: 'running',
          request: { ...request },
          fromNumber: await store.runs.lastNumber(session.id),
          createdAt: Date.now(),
          endedAt: null,
        }
        await store.runs.create(record)
        return await open(record, session)
      } finally {
        opening.delete(session.id)
      }
    },
    get: (sessionId) => runs.get(sessionId),
    async stop(sessionId) {
      const live = runs.get(sessionId)
      if (live === undefined) return undefined
      const begun = performance.now()
      live.abort(new NamedError('Stopped', 'Stopped by the person.'))
      await live.done
      return { runId: live.id, ms: Math.round(performance.now() - begun) }
    },
    async steer(sessionId, message) {
      const live = runs.get(sessionId)
      if (live === undefined) throw new NamedError('NoRun', 'No run is under way in this session.', { status: 409 })
      await live.steer(message)
    },
    async answer(askId, answer) {
      const ask = await store.asks.get(askId)
      const live = ask === undefined ? undefined : runs.get(ask.sessionId)
      const answered = await inbox.answer(askId, answer)
      live?.moved()
      return answered
    },
    async recover() {
      for (const record of await store.runs.unfinished()) {
        await recover(record).catch(async (error: unknown) => {
          options.logger({ level: 'error', message: 'a run could not be taken up', session: record.sessionId, run: record.id, error: String(error) })
          await store.runs.update(record.id, { status: 'interrupted', endedAt: Date.now() })
        })
      }
    },
    async close() {
      closing = true
      await Promise.all([...runs.values()].map((live) => live.leave()))
    },
  }

  function claim(sessionId: string): void {
    const busy = runs.get(sessionId)
    if (busy === undefined && !opening.has(sessionId)) {
      opening.add(sessionId)
      return
    }
    throw new NamedError('SessionBusy', 'This session is answering another message. Stop it, or wait for its end.', { status: 409, data: { runId: busy?.id ?? null } })
  }

  async function open(record: RunRecord, session: Session, resume?: Resume, frames?: { seq: number; gaps: Gap[] }): Promise<LiveRun> {
    const live = await openRun({ ...options, record, session, ...(resume !== undefined && { resume }), ...(frames !== undefined && { frames }) })
    runs.set(session.id, live)
    void live.done.finally(() => runs.delete(session.id))
    live.begin()
    return live
  }

  async function recover(record: RunRecord): Promise<void> {
    const session = await store.sessions.get(record.sessionId)
    if (session === undefined) return
    const frames = await store.frames.read(record.id)
    const resume = readResume(frames.flatMap((frame) => frame.items))
    await endProcesses(resume.processes)
    const gaps = frames.flatMap((frame, i) => {
      const before = frames[i - 1]?.to ?? record.fromNumber
      return frame.from > before ? [{ after: before, to: frame.from }] : []
    })
    const waits = record.status === 'waiting'
    if (options.recovery() === 'wait' && !waits && resume.phase !== 'finished') return closeInterrupted(record, resume, 'The process ended. Regenerate to go on.')
    try {
      await open(record, session, resume, { seq: (frames.at(-1)?.seq ?? -1) + 1, gaps })
    } catch (error) {
      if (!(error instanceof NamedError)) throw error
      await closeInterrupted(record, resume, error.message)
    }
  }

  /** Stores what had arrived, marked as interrupted. */
  async function closeInterrupted(record: RunRecord, resume: Resume, message: string): Promise<void> {
    const fold = createFold({ id: record.messageId })
    for (const chunk of resume.chunks) fold.push(chunk)
    const cleaned = cleanMessage(fold.snapshot(), { run: 'ended' })
    const metadata: Metadata = { ...cleaned.metadata, interrupted: true, error: { name: 'Interrupted', message } }
    await storeAnswer(store, record, { ...cleaned, metadata }, 'interrupted')
  }
}

interface Gap {
  after: number
  to: number
}

interface Control {
  begin(): void
  abort(reason: Error): void
  steer(message: { id: string; text: string }): Promise<void>
  /** An answer came: until the run says otherwise it does not wait any more. */
  moved(): void
  /** The process is going: end at a safe point, or stay as it is when waiting. */
  leave(): Promise<void>
}

type OpenRun = LiveOptions & { record: RunRecord; session: Session; resume?: Resume; frames?: { seq: number; gaps: Gap[] } }

async function openRun(options: OpenRun): Promise<LiveRun & Control> {
  const { store, record, session, resume } = options
  const request = record.request as unknown as RunRequest
  const frame: AgentFrame = { kind: 'master', name: request.agent ?? 'master', depth: 0, path: [request.agent ?? 'master'] }
  const [model, instructions, workspace, history] = await Promise.all([
    options.model(request.model),
    options.instructions(session, frame),
    options.workspace(session),
    store.messages.chain({ sessionId: session.id }, record.userMessageId),
  ])
  const controller = new AbortController()
  const steering: { id: string; text: string }[] = []
  const writesUnderWay = new Set<string>()
  const finished = Promise.withResolvers<Message>()
  let status: RunStatus = record.status
  let onSettled: (() => void)[] = []
  let stored: Promise<void> = Promise.resolve()
  let wanted: 'running' | 'waiting' = 'running'
  let left = false

  const lastNumber = resume === undefined ? record.fromNumber : await store.runs.lastNumber(session.id)
  const from = resume === undefined ? lastNumber : lastNumber + numberJump
  const gaps: Gap[] = [...(options.frames?.gaps ?? []), ...(resume === undefined ? [] : [{ after: lastNumber, to: from }])]
  const log = createLiveLog({ runId: record.id, store, journal: options.journal, from, seq: options.frames?.seq ?? 0, onItem: watchWrites })

  return {
    id: record.id,
    sessionId: session.id,
    messageId: record.messageId,
    userMessageId: record.userMessageId,
    get status() {
      return status
    },
    log,
    done: finished.promise,
    settled: () => (status === 'running' ? new Promise((resolve) => onSettled.push(resolve)) : Promise.resolve()),
    subscribe(sink, { after, untilWaiting = false }) {
      const known = after !== undefined && after >= record.fromNumber && after <= log.number && !gaps.some((gap) => after > gap.after && after <= gap.to)
      return log.subscribe(sink, { after: known ? after : record.fromNumber, untilWaiting })
    },
    begin: () => void go().then(finished.resolve, finished.reject),
    abort: (reason) => controller.abort(reason),
    async steer(message) {
      steering.push(message)
      log.note({ type: '$steer', ...message })
      await log.sync()
    },
    moved() {
      if (status === 'waiting') setStatus('running')
    },
    async leave() {
      if (status === 'waiting') {
        left = true
        await stored
        log.end()
        return
      }
      const deadline = Date.now() + 5000
      while (writesUnderWay.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
      controller.abort(shutdown)
      await finished.promise.catch(() => undefined)
    },
  }

  async function go(): Promise<Message> {
    try {
      if (resume === undefined) for (const chunk of request.opening ?? []) if ('transient' in chunk && chunk.transient === true) log.append(chunk)
      const outcome = await run({
        runId: record.id,
        messageId: record.messageId,
        session: { id: session.id },
        workspace,
        ...(request.client !== undefined && { client: request.client }),
        ...(request.tab !== undefined && { tab: request.tab }),
        ...(request.page !== undefined && { page: request.page }),
        frames: [frame],
        model,
        instructions,
        tools: options.tools(session),
        history,
        opening: (request.opening ?? []).filter((chunk) => !('transient' in chunk && chunk.transient === true)),
        limits: { ...options.limits(), ...request.limits },
        headless: request.headless === true,
        signal: controller.signal,
        log,
        asks: options.inbox,
        blobs: options.blobs,
        decide: (call, ctx) => decide(call, ctx, options.rules(session)),
        steering: () => steering.splice(0),
        writes: createWriteLock(),
        onStatus,
        credentials: options.credentials,
        ...(resume !== undefined && { resume }),
        ...(options.stallMs !== undefined && { stallMs: options.stallMs }),
        trace: (line) => options.logger({ ...line, session: session.id, run: record.id, agentPath: frame.path }),
      })
      await log.sync()
      await stored
      status = controller.signal.reason === shutdown ? 'interrupted' : outcome.status
      await storeAnswer(store, record, outcome.message, status)
      return outcome.message
    } catch (error) {
      options.logger({ level: 'error', message: 'a run broke', session: session.id, run: record.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
      status = 'failed'
      throw error
    } finally {
      if (!left) {
        log.end()
        settle()
        await store.frames.merge(record.id).catch((error: unknown) => options.logger({ level: 'warn', message: 'a run log was not merged', run: record.id, error: String(error) }))
      }
    }
  }

  /** A waiting run is stored as it stands, so that a reload shows the open approval without the log. */
  function onStatus(now: 'running' | 'waiting', message: () => Message): void {
    wanted = now
    if (now === 'waiting') {
      const snapshot = message()
      stored = stored
        .then(() => storeAnswer(store, record, snapshot, 'waiting'))
        .then(() => (wanted === 'waiting' ? setStatus('waiting') : undefined))
    } else {
      setStatus('running')
      stored = stored.then(() => store.runs.update(record.id, { status: 'running' }))
    }
    stored = stored.catch((error: unknown) => options.logger({ level: 'error', message: 'a waiting run was not stored', run: record.id, error: String(error) }))
  }

  function setStatus(now: 'running' | 'waiting'): void {
    status = now
    log.setWaiting(now === 'waiting')
    if (now === 'waiting') settle()
  }

  function settle(): void {
    const listeners = onSettled
    onSettled = []
    for (const listener of listeners) listener()
  }

  function watchWrites(item: LogItem): void {
    if (item.type === '$call') writesUnderWay.add(item.toolCallId)
    else if (item.type === 'tool-output-available' || item.type === 'tool-output-error') writesUnderWay.delete((item as { toolCallId: string }).toolCallId)
  }
}

/** The answer and the state of its run in one commit. */
async function storeAnswer(store: Store, record: RunRecord, message: Message, status: RunStatus): Promise<void> {
  const at = { sessionId: record.sessionId }
  await store.transaction(async (inside) => {
    const { id, parts, metadata } = message
    const fields = { id, parts, ...(metadata !== undefined && { metadata }) }
    if ((await inside.messages.get(at, id)) === undefined) {
      await inside.messages.add(at, { ...fields, parentMessageId: record.userMessageId, role: 'assistant', createdAt: record.createdAt })
    } else await inside.messages.replace(at, fields)
    const over = status !== 'running' && status !== 'waiting'
    await inside.runs.update(record.id, { status, ...(over && { endedAt: Date.now() }) })
    if (over) await inside.asks.closeRun(record.id)
  })
}
