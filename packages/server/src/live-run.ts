import {
  compactRun,
  errorInfo,
  inDialect,
  Meter,
  NamedError,
  run,
  shutdown,
  type AgentReport,
  type ChildRun,
  type Chunk,
  type DataParts,
  type Message,
  type Resume,
  type RunOutcome,
  type RunRecord,
  type RunStatus,
  type Session,
  type StoredMessage,
} from '@troupe/core'
import { openAgentDoor, turnBudget, type AgentDoor } from './agent-door.ts'
import type { AgentHostOptions } from './agent-host.ts'
import { createLiveLog, numberJump, type LiveLog } from './live-log.ts'
import type { LiveOptions, Remains, RunParts, RunRequest } from './run-parts.ts'
import { storeAnswer } from './store-answer.ts'
import type { Sink } from './subscriber.ts'

export interface LiveRun {
  readonly id: string
  readonly sessionId: string
  readonly messageId: string
  readonly userMessageId: string
  /** The page that started it, where one did. */
  readonly client?: string
  readonly status: RunStatus
  readonly log: LiveLog
  /** Resolves when the message is stored and exported and the run is closed. Rejects when it could not be stored. */
  readonly done: Promise<Message>
  /** Resolves when it ends or waits for a person. */
  settled(): Promise<void>
  /** Sends everything after `after`; a number that this log never sent, or none, gets the whole run. */
  subscribe(sink: Sink, options: { after?: number; untilWaiting?: boolean }): () => void
}

/** The hold that the owner of live runs has on one. */
export interface OpenRun extends LiveRun {
  status: RunStatus
  begin(): void
  abort(reason: NamedError): void
  /** Throws `NoRun` (409) when the turn has decided to end. Resolves when the message survives a crash. */
  steer(message: { id: string; text: string }): Promise<void>
  /** An answer came: until the run says otherwise it does not wait any more. */
  moved(): void
  /** A person stops a sub-agent. Undefined when it is not at work. */
  stopAgent(agentId: string): Promise<AgentReport | undefined>
  /** A person tells a sub-agent more. Throws `AgentNotFound` (404). */
  tellAgent(agentId: string, message: { id: string; text: string }): Promise<void>
  /** Nothing that happens from now on is written, here or below. */
  freeze(): Promise<void>
  /** The process is going: end at a safe point, or stay as it is when waiting. */
  leave(): Promise<void>
}

export interface RunToBegin {
  record: RunRecord
  session: Session
  parts: RunParts
  remains?: Remains
}

export interface RunToOpen extends RunToBegin {
  /** Opens the run of a sub-agent. */
  openChild: AgentHostOptions['open']
  takeRemains: AgentHostOptions['takeRemains']
  /** Called before the streams end, when everything is stored, or with what could not be. */
  onClosed: (unstored?: RunOutcome) => void
}

export function openRun(options: LiveOptions, given: RunToOpen): OpenRun {
  const { record, session, parts, remains, onClosed } = given
  const { store } = options
  const { child } = parts
  const request = record.request as unknown as RunRequest
  const controller = new AbortController()
  const steering: { id: string; text: string }[] = []
  const finished = Promise.withResolvers<Message>()
  // Who does not wait for the end need not hear of its failure.
  finished.promise.catch(() => undefined)
  const onSettled: (() => void)[] = []
  let stored: Promise<void> = Promise.resolve()
  let wanted: 'running' | 'waiting' = 'running'
  let accepting = true
  let left = false
  let steered: Set<string> | undefined
  let usedCallIds: Promise<Set<string>> | undefined
  let door: AgentDoor | undefined
  let meter = child?.meter

  const from = remains === undefined ? record.fromNumber : remains.lastNumber + numberJump
  const gaps = remains === undefined ? [] : [...remains.gaps, { after: remains.lastNumber, to: from }]
  const log = createLiveLog({
    runId: record.id,
    store,
    journal: options.journal,
    from,
    seq: remains?.seq ?? 0,
    onChunk: child?.onChunk ?? announce,
  })

  const live: OpenRun = {
    id: record.id,
    sessionId: session.id,
    messageId: record.messageId,
    userMessageId: record.userMessageId,
    ...(request.client !== undefined && { client: request.client }),
    status: 'running',
    log,
    done: finished.promise,
    settled: () => (live.status === 'running' ? new Promise((resolve) => onSettled.push(resolve)) : Promise.resolve()),
    subscribe(sink, { after, untilWaiting = false }) {
      const known = after !== undefined && after >= record.fromNumber && after <= log.number && !isLost(after)
      return log.subscribe(sink, { after: known ? after : record.fromNumber, untilWaiting })
    },
    begin: () => void go(),
    abort: (reason) => controller.abort(reason),
    async steer(message) {
      if (!accepting) throw noRun()
      steered ??= new Set(remains === undefined ? [] : steeringIds(remains.resume))
      if (!steered.has(message.id)) {
        steered.add(message.id)
        steering.push(message)
        log.note({ type: '$steer', ...message })
      }
      await log.sync()
      door?.link.wake()
    },
    moved() {
      if (live.status === 'waiting') setStatus('running')
    },
    stopAgent: (agentId) => door?.stop(agentId) ?? Promise.resolve(undefined),
    async tellAgent(agentId, { id, text }) {
      const call = { toolCallId: id, signal: controller.signal, waiting: () => () => undefined }
      const told = await doorOf().link.agents(call).send(agentId, text)
      if ('refused' in told) throw new NamedError('AgentNotFound', told.message, { status: 404 })
    },
    async freeze() {
      await stored
      await log.sync().catch((error: unknown) => warn('a waiting run was not written', error))
      left = true
      log.mute()
      await door?.freeze()
    },
    async leave() {
      await stored
      if (live.status === 'waiting') {
        await live.freeze()
        controller.abort(new NamedError('Interrupted', 'Interrupted: the server was stopped.'))
      } else controller.abort(shutdown)
      await finished.promise.catch(() => undefined)
    },
  }
  return live

  async function go(): Promise<void> {
    let outcome: RunOutcome | undefined
    try {
      outcome = await work().catch(broken)
      await door?.link.close()
      await log.sync()
      await stored
      if (!left) {
        live.status = outcome.status
        await storeAnswer(store, record, outcome.message, outcome.status)
      }
    } catch (error) {
      live.status = 'failed'
      warn('a run was not stored', error)
      log.append({ type: 'error', errorText: error instanceof Error ? error.message : String(error) })
      close(outcome)
      finished.reject(error)
      return
    }
    close()
    finished.resolve(outcome.message)
  }

  /** What is asked next finds no run, and then the streams end. */
  function close(unstored?: RunOutcome): void {
    onClosed(unstored)
    log.end()
    settle()
  }

  async function work(): Promise<RunOutcome> {
    const { frames, model, instructions, workspace, history } = parts
    const opening = child === undefined ? (request.opening ?? []) : []
    if (child === undefined) options.heard(session.id, history.flatMap(personTexts))
    if (remains === undefined) for (const chunk of opening) if (isTransient(chunk)) log.append(chunk)
    if (remains !== undefined) await doorOf().link.resume()
    const answer = request.compact === true ? compactRun : run
    return answer({
      runId: record.id,
      messageId: record.messageId,
      session: { id: session.id },
      workspace,
      ...(request.client !== undefined && { client: request.client }),
      ...(request.tab !== undefined && { tab: request.tab }),
      ...(request.page !== undefined && { page: request.page }),
      frames,
      model,
      instructions,
      tools: inDialect(parts.tools, model.id),
      history,
      opening: opening.filter((chunk) => !isTransient(chunk)),
      limits: { ...options.limits(), ...request.limits, ...ownLimits(child) },
      headless: request.headless === true,
      signal: controller.signal,
      log,
      asks: options.inbox,
      blobs: options.blobs,
      decide: options.decide(session, request.rules),
      mode: options.mode(session),
      hooks: options.hooks(session),
      steering: takeSteering,
      takeCallId,
      onStatus,
      state: () => options.state(session, workspace, record.agentId ?? undefined, history),
      meter: meterOf(),
      writes: () => doorOf().writes,
      agents: (call) => doorOf().link.agents(call),
      idle: (waiting) => door?.link.idle(waiting) ?? Promise.resolve(false),
      settings: options.settings,
      redact: options.redact,
      credentials: options.credentials,
      ...(remains !== undefined && { resume: remains.resume }),
      ...(options.stallMs !== undefined && { stallMs: options.stallMs }),
      trace: (line) => options.logger({ ...line, session: session.id, run: record.id, agentPath: frames.at(-1)?.path }),
    })
  }

  /** The loop never throws for what a model, a tool or a person does: this is a defect, or a setting that is wrong. */
  function broken(thrown: unknown): RunOutcome {
    accepting = false
    warn('a run broke', thrown)
    const error = errorInfo(thrown)
    log.append({ type: 'error', errorText: error.message })
    log.append({ type: 'finish', finishReason: 'error', messageMetadata: { error } })
    return {
      status: 'failed',
      error,
      message: { id: record.messageId, role: 'assistant', parts: [], metadata: { error } },
    }
  }

  /** A waiting run is stored as it stands, so that a reload shows the open approval without the log. */
  function onStatus(now: 'running' | 'waiting', message: () => Message): void {
    if (left) return
    wanted = now
    if (now === 'running') setStatus('running')
    const snapshot = now === 'waiting' ? message() : undefined
    stored = stored
      .then(() =>
        snapshot === undefined
          ? store.runs.update(record.id, { status: now })
          : storeAnswer(store, record, snapshot, now),
      )
      .catch((error: unknown) => warn('the state of a run was not stored', error))
      .then(() => (now === 'waiting' && wanted === 'waiting' ? setStatus('waiting') : undefined))
  }

  function setStatus(now: 'running' | 'waiting'): void {
    live.status = now
    child?.onStatus(now)
    log.setWaiting(now === 'waiting')
    if (now === 'waiting') settle()
  }

  function settle(): void {
    for (const listener of onSettled.splice(0)) listener()
  }

  function takeSteering(ending: boolean): { id: string; text: string }[] {
    if (ending && steering.length === 0) accepting = false
    return steering.splice(0)
  }

  /** Read once, when the first call comes: most turns have none. The agents of a tree share what is taken. */
  async function takeCallId(id: string): Promise<boolean> {
    if (parts.takeCallId !== undefined) return parts.takeCallId(id)
    usedCallIds ??= store.calls.ids(session.id).then((ids) => new Set(ids))
    const used = await usedCallIds
    if (used.has(id)) return false
    used.add(id)
    return true
  }

  function meterOf(): Meter {
    const name = parts.frames[0]?.name ?? 'master'
    return (meter ??= new Meter(name, turnBudget({ ...options.limits(), ...request.limits })))
  }

  function doorOf(): AgentDoor {
    return (door ??= openAgentDoor({
      live: options,
      record,
      session,
      parts,
      meter: meterOf(),
      signal: controller.signal,
      resumed: remains !== undefined,
      emit: (chunk) => log.append(chunk),
      steer: (message) => live.steer(message),
      takeCallId,
      openChild: given.openChild,
      takeRemains: given.takeRemains,
    }))
  }

  /** Who reads the stream may answer before the ask is registered. */
  function announce(chunk: Chunk): void {
    if (chunk.type === 'tool-approval-request') {
      if (chunk.isAutomatic !== true) options.inbox.announce(chunk.approvalId)
    } else if (chunk.type === 'data-ask') options.inbox.announce((chunk.data as DataParts['ask']).id)
    else if (chunk.type === 'data-sub-agent-chunk') {
      for (const inner of (chunk.data as DataParts['sub-agent-chunk']).chunks) announce(inner as Chunk)
    }
  }

  function isLost(number: number): boolean {
    return gaps.some((gap) => number > gap.after && number <= gap.to)
  }

  function warn(message: string, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    options.logger({ level: 'error', message, session: session.id, run: record.id, error: text })
  }
}

export function noRun(): NamedError {
  return new NamedError('NoRun', 'No run is under way in this session.', { status: 409 })
}

function personTexts({ role, parts }: StoredMessage): string[] {
  return role === 'user' ? parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : []
}

function isTransient(chunk: Chunk): boolean {
  return 'transient' in chunk && chunk.transient === true
}

function steeringIds(resume: Resume): string[] {
  const injected = resume.chunks.flatMap((chunk) => (chunk.type === 'steering-message' ? [chunk.id] : []))
  return [...injected, ...resume.steering.map(({ id }) => id)]
}

function ownLimits(child: ChildRun | undefined): { steps?: number } {
  const steps = child?.record.details?.setup.maxSteps
  return steps === undefined ? {} : { steps }
}
