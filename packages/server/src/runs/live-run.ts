import { createCallIds, storeAnswer } from './journal.ts'
import {
  type AgentReport,
  compactRun,
  createWriteLock,
  Meter,
  type Resume,
  run,
  type RunInput,
  type RunOutcome,
  type RunStatus,
  shutdown,
  type WriteLock,
} from '@troupe/core'
import {
  budgetEvent,
  type BudgetInfo,
  type Chunk,
  errorInfo,
  type Message,
  NamedError,
  type SteeringMessage,
} from '@troupe/protocol'
import type { Sink } from '../http/route.ts'
import { isServerFault } from '../util/storage-fault.ts'
import { notHere } from './not-here.ts'
import { columnNumbers, createLiveLog, type LiveLog, numberJump } from './live-log.ts'
import type { Payer } from '../usage/budget-accounts.ts'
import { type RecoveredState, runInput, type RunRequest, runRequestOf } from './prepare-run.ts'
import type { RunServices } from './run-services.ts'
import { openRunSubAgents, type RunSubAgents } from './sub-agent-host.ts'
import type { OpenRun, RunToOpen } from './run-types.ts'
import { noRun } from './run-errors.ts'
import { announce } from './inbox.ts'

/** A class, because prototype methods cost no memory per run and hundreds may be open. */
export class ManagedRun implements OpenRun {
  readonly log: LiveLog
  status: RunStatus = 'running'
  readonly #services: RunServices
  readonly #given: RunToOpen
  readonly #controller = new AbortController()
  readonly #steering: SteeringMessage[] = []
  /** Created on first use, since most runs are only read as a stream. */
  #finished: PromiseWithResolvers<Message> | undefined
  #end: { message: Message } | { error: unknown } | undefined
  #onSettled: (() => void)[] | undefined
  #stored: Promise<void> = Promise.resolve()
  #wanted: 'running' | 'waiting' = 'running'
  #accepting = true
  #left = false
  /** Another process continues the run. */
  #isElsewhere = false
  #handingOver = false
  #isFinished = false
  #steered: Set<string> | undefined
  #callIds: ReturnType<typeof createCallIds> | undefined
  #subAgents: RunSubAgents | undefined
  #meter: Meter | undefined
  #writes: WriteLock | undefined

  constructor(services: RunServices, given: RunToOpen) {
    const { record, parts, recovered, begun } = given
    this.#services = services
    this.#given = given
    this.#meter = parts.child?.meter
    this.log = createLiveLog({
      runId: record.id,
      store: services.store,
      journal: services.journal,
      from: recovered === undefined ? record.fromNumber : this.#resumesFrom(recovered),
      seq: recovered?.seq ?? 0,
      begun: begun === 'unstored' ? record : undefined,
      restarts: begun === 'stored',
      onChunk: parts.child?.onChunk ?? ((chunk) => this.#onChunk(chunk)),
    })
    this.#isFinished = recovered?.resume.phase === 'finished'
  }

  get id(): string {
    return this.#given.record.id
  }

  get sessionId(): string {
    return this.#given.session.id
  }

  get messageId(): string {
    return this.#given.record.messageId
  }

  get userMessageId(): string {
    return this.#given.record.userMessageId
  }

  get column(): string | undefined {
    return this.#request.column?.messageId
  }

  get place(): number {
    return this.#request.column?.index ?? 0
  }

  get isCompared(): boolean {
    return this.column !== undefined && this.#given.isCompared(this.column)
  }

  get left(): boolean {
    return this.#isElsewhere
  }

  get isClosing(): boolean {
    return this.#isFinished || (this.status !== 'running' && this.status !== 'waiting')
  }

  get client(): string | undefined {
    return this.#request.client
  }

  get done(): Promise<Message> {
    if (this.#finished === undefined) {
      this.#finished = Promise.withResolvers()
      // Callers that do not await the end need not handle its failure.
      this.#finished.promise.catch(() => undefined)
      if (this.#end !== undefined) this.#finish(this.#end)
    }
    return this.#finished.promise
  }

  settled(): Promise<void> {
    if (this.status !== 'running') return Promise.resolve()
    return new Promise((resolve) => (this.#onSettled ??= []).push(resolve))
  }

  subscribe(sink: Sink, { after, untilWaiting = false }: Parameters<OpenRun['subscribe']>[1]): () => void {
    const { fromNumber } = this.#given.record
    const known = [after].flat().find((number) => number !== undefined && this.#isKnown(number))
    return this.log.subscribe(sink, { after: known ?? fromNumber, untilWaiting })
  }

  #isKnown(number: number): boolean {
    return number >= this.#given.record.fromNumber && number <= this.log.number && !this.#isLost(number)
  }

  abort(reason: NamedError): void {
    this.#controller.abort(reason)
  }

  async steer(message: SteeringMessage): Promise<void> {
    const { recovered } = this.#given
    if (this.#isElsewhere) throw notHere()
    if (!this.#accepting || this.#isFinished) throw noRun()
    this.#steered ??= new Set(recovered === undefined ? [] : steeringIds(recovered.resume))
    if (!this.#steered.has(message.id)) {
      this.#steered.add(message.id)
      this.#steering.push(message)
      this.log.note({ type: '$steer', ...message })
    }
    await this.log.sync().catch((error: unknown) => {
      throw this.#suspendOn(error) ? notHere() : error
    })
    // The log may have been closed before it was written. The client sends the message again.
    if (this.#isElsewhere) throw notHere()
    // The turn failed meanwhile, and did not take it.
    if (this.#isFinished && this.#steering.includes(message)) throw noRun()
    this.#subAgents?.link.wake()
  }

  markRunning(): void {
    if (this.status === 'waiting') this.#setStatus('running')
  }

  stopAgent(agentId: string): Promise<AgentReport | undefined> {
    return this.#subAgents?.stop(agentId) ?? Promise.resolve(undefined)
  }

  async messageAgent(agentId: string, { id, text }: { id: string; text: string }): Promise<void> {
    const call = { toolCallId: id, signal: this.#controller.signal, waiting: () => () => undefined }
    const told = await this.#openSubAgents().link.agents(call).send(agentId, text, { messageId: id })
    if ('refused' in told) throw new NamedError('AgentNotFound', told.message, { status: 404 })
  }

  async freeze(): Promise<void> {
    await this.#stored
    await this.log.sync().catch((error: unknown) => this.#warn('a waiting run was not written', error))
    this.#left = true
    this.log.mute()
    await this.#subAgents?.freeze()
  }

  async detach(): Promise<void> {
    await this.#stored
    if (this.status === 'waiting') {
      await this.freeze()
      this.#controller.abort(new NamedError('Interrupted', 'Interrupted: the server was stopped.'))
    } else this.#controller.abort(shutdown)
    await this.done.catch(() => undefined)
  }

  async handOver(now: AbortSignal): Promise<void> {
    this.#handingOver = true
    const leave = (): void => this.#leave()
    now.addEventListener('abort', leave, { once: true })
    if (now.aborted || this.status === 'waiting') leave()
    // A run that only waits for its sub-agents continues when they do.
    else void this.#subAgents?.handOver(now).then((had) => had && leave())
    await this.done.catch(() => undefined)
    now.removeEventListener('abort', leave)
  }

  abandon(): void {
    this.#left = true
    this.#isElsewhere = true
    this.log.cut()
    this.#subAgents?.abandon()
    this.#controller.abort(handedOver)
  }

  /** Keeps what the journal has up to here. The signal ends the rest. */
  #leave(): void {
    if (this.#left) return
    this.#left = true
    this.#isElsewhere = true
    this.log.seal()
    void this.#subAgents?.handOver(AbortSignal.abort())
    this.#controller.abort(handedOver)
  }

  get #request(): RunRequest {
    return (this.#given.request ??= runRequestOf(this.#given.record))
  }

  /** Never rejects. */
  async begin(): Promise<void> {
    const { log } = this
    let outcome: RunOutcome | undefined
    this.#log('info', 'run started')
    // Sub-agents leave the budget to the run of the chat.
    if (this.#given.parts.child === undefined) this.#services.spending?.watch(this)
    try {
      try {
        outcome = await this.#work()
      } catch (error) {
        outcome = this.#broken(error)
      }
      this.#services.spending?.unwatch(this)
      await this.#subAgents?.link.close()
      await log.sync()
      await this.#stored
      if (!this.#left) {
        this.status = outcome.status
        // Together, so that they share a commit.
        const stored = storeAnswer(this.#services.store, this.#given.record, outcome.message, outcome.status)
        await Promise.all([stored, this.#services.spending?.flush()])
      }
    } catch (error) {
      if (this.#suspendOn(error)) return this.#leaveUnstored(error)
      this.status = 'failed'
      this.#warn('a run was not stored', error)
      log.append({ type: 'error', errorText: error instanceof Error ? error.message : String(error) })
      this.#close(outcome)
      this.#finish({ error })
      return
    }
    this.#log('info', 'run ended', { status: this.status })
    this.#close()
    this.#finish({ message: outcome.message })
  }

  /** A failure of the cluster's database ends no run. Returns true if the run continues without this process. */
  #suspendOn(error: unknown): boolean {
    const { turns } = this.#services
    if (turns !== undefined && !this.#isElsewhere && isServerFault(error)) turns.suspend(this.sessionId)
    return this.#isElsewhere
  }

  #onChunk(chunk: Chunk): void {
    this.#isFinished ||= chunk.type === 'finish'
    announce(this.#services.inbox, chunk)
  }

  /** Another process has the run, so it does not matter here. */
  #leaveUnstored(error: unknown): void {
    this.#close()
    this.#finish({ error })
  }

  #finish(end: { message: Message } | { error: unknown }): void {
    this.#end = end
    if ('message' in end) this.#finished?.resolve(end.message)
    else this.#finished?.reject(end.error)
  }

  get payer(): Payer {
    const { person, model } = this.#request
    return person === undefined ? {} : { person, model, folder: this.#given.parts.services.workspace.path }
  }

  /** Tells the user that a budget is nearly used up. */
  onBudget(budget: BudgetInfo): void {
    this.log.append({ type: 'data-ui-event', data: { name: budgetEvent, data: { ...budget } }, transient: true })
  }

  /** Removes the run before ending its streams, so the next request finds none. */
  #close(unstored?: RunOutcome): void {
    const left = this.#isElsewhere
    this.#given.onClosed({ left, ...(unstored !== undefined && !left && { unstored }) })
    if (left) this.log.cut()
    else this.log.end()
    this.#settle()
  }

  /** Not async itself, since its frame would stay in memory while it waits. */
  #work(): Promise<RunOutcome> {
    const { record, parts, recovered } = this.#given
    const { services: own, history, child } = parts
    const services = this.#services
    const request = this.#request
    const { log } = this
    const opening = child === undefined ? (request.opening ?? []) : []
    if (child === undefined) own.noteUserHosts(history)
    if (recovered === undefined || recovered.resume.chunks.length === 0)
      for (const chunk of opening) if (isTransient(chunk)) log.append(chunk)
    const answer = request.compact === true ? compactRun : run
    const input = (): RunInput => ({
      ...runInput(services, this.#given, request),
      opening: opening.filter((chunk) => !isTransient(chunk)),
      signal: this.#controller.signal,
      log,
      decide: this.#decide(own.decide(request.rules, () => this.isCompared, request.person)),
      steering: (ending) => this.#drainSteering(ending),
      reserveCallId: (id) => this.#reserveCallId(id),
      onStatus: (now, message) => this.#onStatus(now, message),
      state: () => own.state({ agentId: record.agentId ?? undefined, column: this.column }, history),
      meter: this.#meterOf(),
      writes: () => this.#writesOf(),
      agents: (call) => this.#openSubAgents().link.agents(call),
      idle: (waiting) => this.#subAgents?.link.idle(waiting) ?? Promise.resolve(false),
      onError: (error) => void this.#suspendOn(error),
    })
    if (recovered === undefined) return answer(input())
    return this.#openSubAgents()
      .link.resume()
      .then(() => answer(input()))
  }

  /** A process that lost its sessions starts no tool. */
  #decide(decide: RunInput['decide']): RunInput['decide'] {
    const { turns } = this.#services
    if (turns === undefined) return decide
    return (...given) => {
      turns.assertValid()
      return decide(...given)
    }
  }

  /** The loop never throws for model, tool or user errors. This is a bug or a wrong setting. */
  #broken(thrown: unknown): RunOutcome {
    this.#accepting = false
    if (!this.#suspendOn(thrown)) this.#warn('a run broke', thrown)
    const error = errorInfo(thrown)
    this.log.append({ type: 'error', errorText: error.message })
    this.log.append({ type: 'finish', finishReason: 'error', messageMetadata: { error } })
    return {
      status: 'failed',
      error,
      message: { id: this.messageId, role: 'assistant', parts: [], metadata: { error } },
    }
  }

  /** Stores a waiting run's message, so a reload shows the open approval without the log. */
  #onStatus(now: 'running' | 'waiting', message: () => Message): void {
    if (this.#left) return
    const { record } = this.#given
    const { store } = this.#services
    this.#wanted = now
    if (now === 'running') this.#setStatus('running')
    const snapshot = now === 'waiting' ? message() : undefined
    this.#stored = this.#stored
      .then(() =>
        snapshot === undefined ? store.runs.put({ ...record, status: now }) : storeAnswer(store, record, snapshot, now),
      )
      .catch((error: unknown) => {
        if (!this.#suspendOn(error)) this.#warn('the state of a run was not stored', error)
      })
      .then(() => (now === 'waiting' && this.#wanted === 'waiting' ? this.#setStatus('waiting') : undefined))
  }

  #setStatus(now: 'running' | 'waiting'): void {
    this.status = now
    this.#given.parts.child?.onStatus(now)
    this.log.setWaiting(now === 'waiting')
    if (now !== 'waiting') return
    this.#settle()
    if (this.#handingOver) this.#leave()
  }

  #settle(): void {
    const listeners = this.#onSettled
    this.#onSettled = undefined
    for (const listener of listeners ?? []) listener()
  }

  #drainSteering(ending: boolean): SteeringMessage[] {
    if (this.#handingOver && !ending) {
      // Steering messages are in the journal, so the next owner injects them.
      this.#leave()
      return []
    }
    if (ending && this.#steering.length === 0) this.#accepting = false
    return this.#steering.splice(0)
  }

  /** A tree of agents and the columns of a comparison share the ids. */
  #reserveCallId(id: string): Promise<boolean> {
    const { parts, session } = this.#given
    if (parts.reserveCallId !== undefined) return parts.reserveCallId(id)
    this.#callIds ??= createCallIds(this.#services.store, session.id)
    return this.#callIds(id)
  }

  #meterOf(): Meter {
    const { frames, budget } = this.#given.parts
    // The limits of the turn cover its whole tree of agents.
    const { tokens, ms } = { ...this.#services.limits(), ...this.#request.limits }
    return (this.#meter ??= new Meter(frames.at(-1)?.name ?? 'master', { tokens, ms, ...budget }))
  }

  #writesOf(): WriteLock {
    const { child, writes } = this.#given.parts
    return (this.#writes ??= child?.writes ?? writes ?? createWriteLock())
  }

  #openSubAgents(): RunSubAgents {
    const { record, session, parts, recovered, openChild, claimRecovered } = this.#given
    return (this.#subAgents ??= openRunSubAgents({
      services: this.#services,
      record,
      session,
      parts,
      meter: this.#meterOf(),
      writes: this.#writesOf(),
      signal: this.#controller.signal,
      resumed: recovered !== undefined,
      emit: (chunk) => this.log.append(chunk),
      steer: (message) => this.steer(message),
      reserveCallId: (id) => this.#reserveCallId(id),
      openChild,
      claimRecovered,
    }))
  }

  /** True if a client with this number saw events that a crash lost. */
  #isLost(number: number): boolean {
    const { recovered } = this.#given
    if (recovered === undefined) return false
    const all = [...recovered.gaps, { after: recovered.lastNumber, to: this.#resumesFrom(recovered) }]
    return all.some((gap) => number > gap.after && number <= gap.to)
  }

  /** Columns that resume together get separate numbers, as they had before. */
  #resumesFrom({ lastNumber }: RecoveredState): number {
    return lastNumber + numberJump + this.place * columnNumbers
  }

  #warn(message: string, error: unknown): void {
    this.#log('error', message, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }

  #log(level: 'info' | 'error', message: string, more: { error?: string; status?: string } = {}): void {
    const { requestId } = this.#request
    this.#services.logger({ level, message, session: this.sessionId, run: this.id, requestId, ...more })
  }
}

/** Ends what a run does here. Another process continues it. */
const handedOver = new NamedError('HandedOver', 'Another node continues this run.', { status: 503 })

function isTransient(chunk: Chunk): boolean {
  return 'transient' in chunk && chunk.transient === true
}

function steeringIds(resume: Resume): string[] {
  const injected = resume.chunks.flatMap((chunk) => (chunk.type === 'steering-message' ? [chunk.id] : []))
  return [...injected, ...resume.steering.map(({ id }) => id)]
}
