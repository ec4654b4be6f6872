import { type Chunk, type Message, NamedError } from '@troupe/protocol'
import type { RunOutcome } from '../run/end-turn.ts'
import { Meter, type Spent } from '../run/meter.ts'
import type { WriteLock } from '../run/run-input.ts'
import type { AgentDetails, AgentRecord, PendingMessage } from '../store/store.ts'
import {
  type AgentFrame,
  type AgentReport,
  type AgentStatus,
  isFinal,
  type Refusal,
  type SkillLimits,
} from '../tool/services.ts'
import { type AgentHost, type AgentLink, type ChildRun, derivedId, type HostedRun } from './agent-host.ts'
import { type Delegator, narrowSetup } from './delegate.ts'

/** A sub-agent that is at work, or about to be. It leaves memory when it has ended. */
export interface AgentNode {
  readonly agentId: string
  readonly report: AgentReport
  /** Never rejects, unless what it did could not be stored. */
  readonly ended: Promise<AgentReport>
  /** Heard at each change of its status and its counts. */
  readonly listeners: Set<(report: AgentReport) => void>
  /** Somebody has read its end. */
  claimed: boolean
  send(message: { id: string; text: string; runId: string; unasked: SkillLimits }, interrupt: boolean): Promise<void>
  stop(reason: NamedError): void
}

interface NodeOptions {
  host: AgentHost
  record: AgentRecord & { details: AgentDetails }
  frames: readonly AgentFrame[]
  meter: Meter
  writes: WriteLock
  slot: Slot
  /** Aborted when whoever it works for is. */
  signal: AbortSignal
  emit(chunk: Chunk): void
  onChunk(chunk: Chunk): void
  link(node: { runId: string; signal: AbortSignal; meter: Meter }, run: Parameters<ChildRun['link']>[0]): AgentLink
}

const summaryRequest =
  'You ended without an answer. In a few sentences, say what you did, what you found and what is left.'

/** Starts the life of a sub-agent: waits for its slot, runs, and goes on as long as it is told more. */
export function startNode(options: NodeOptions): AgentNode {
  const { host, slot, meter } = options
  const { agentId, name } = options.record
  const life = new AbortController()
  const listeners = new Set<(report: AgentReport) => void>()
  /** What it still has to answer, the message that it is at first. */
  const told = [...options.record.details.told]
  let record = options.record
  let { frames } = options
  let saved: Promise<void> = Promise.resolve()
  let hosted: HostedRun | undefined
  let current: AbortController | undefined
  let over = false

  const report: AgentReport = { agentId, name, status: 'pending', text: '', steps: 0, tokens: 0 }
  let before = { ...meter.spent }
  const onAbort = (): void => life.abort(options.signal.reason)
  if (options.signal.aborted) onAbort()
  else options.signal.addEventListener('abort', onAbort, { once: true })

  return {
    agentId,
    report,
    listeners,
    claimed: false,
    ended: live(),
    async send({ runId, unasked, ...message }, interrupt) {
      if (over) throw new NamedError('NoRun', `The agent ${agentId} has just ended.`)
      narrow(unasked)
      if (!interrupt && hosted !== undefined) {
        try {
          const narrowing = unasked.length > 0 && { unasked: unasked.map((list) => [...list]) }
          return await hosted.steer({ ...message, ...narrowing })
        } catch (error) {
          if (!(error instanceof NamedError) || error.name !== 'NoRun') throw error
        }
      }
      if (!told.some((other) => other.runId === runId)) told.push({ runId, message })
      await change(report.status)
      if (interrupt) current?.abort(new NamedError('Stopped', 'Stopped: its parent has something else for it.'))
    },
    stop: (reason) => life.abort(reason),
  }

  /** Its next runs, also after a restart, let no more pass than whoever told it to go on. */
  function narrow(unasked: SkillLimits): void {
    const setup = narrowSetup(record.details.setup, unasked)
    if (setup === record.details.setup) return
    record = { ...record, details: { ...record.details, setup } }
    frames = [...frames.slice(0, -1), { ...(frames.at(-1) as AgentFrame), unasked: setup.unasked ?? [] }]
  }

  async function live(): Promise<AgentReport> {
    try {
      await Promise.race([slot.ready, abortOf(life.signal)])
      let outcome: RunOutcome | undefined
      let limit: string | undefined
      for (let next = told[0]; next !== undefined; next = told[0]) {
        limit = undefined
        outcome = await tell(next)
        const silent = outcome.status === 'done' || outcome.error?.name === 'AnswerEmpty'
        if (silent && finalText(outcome.message) === '' && told.length === 1) {
          limit = outcome.message.metadata?.stopped?.message
          outcome = await tell(summaryOf(next), true)
        }
        if (life.signal.aborted) break
        answered()
      }
      over = true
      if (outcome !== undefined) conclude(outcome, limit)
    } catch (error) {
      over = true
      report.note = error instanceof Error ? error.message : String(error)
      report.status = life.signal.aborted ? 'stopped' : 'failed'
    } finally {
      slot.free()
      options.signal.removeEventListener('abort', onAbort)
    }
    await change(report.status)
    options.emit({ type: 'data-sub-agent-end', data: { agentId, status: report.status }, transient: true })
    return report
  }

  /** What that took is stored with what is left to answer: a restart counts it once. */
  function answered(): void {
    told.shift()
    record = { ...record, details: { ...record.details, ...spent() } }
    before = { ...meter.spent }
  }

  /** One run of its conversation, from message to answer. */
  async function tell({ runId, message }: PendingMessage, summary = false): Promise<RunOutcome> {
    life.signal.throwIfAborted()
    current = new AbortController()
    const signal = AbortSignal.any([life.signal, current.signal])
    record = { ...record, runId }
    // What a restart needs was stored before: how it stands may follow.
    void change('running').catch(() => undefined)
    // Of its own, so that each answer tells what it took.
    const ofRun = new Meter(name, {}, meter)
    let link: AgentLink | undefined
    try {
      hosted = await host.open({
        runId,
        ...(summary && { summary }),
        record,
        frames,
        message,
        meter: ofRun,
        writes: options.writes,
        signal,
        onChunk(chunk) {
          options.onChunk(chunk)
          if (chunk.type === 'start-step' || chunk.type === 'data-usage') count()
        },
        onStatus: (status) => void change(status).catch(() => undefined),
        link: (run) => (link = options.link({ runId, signal, meter: ofRun }, run)),
      })
      return await hosted.done
    } finally {
      hosted = undefined
      await link?.close()
    }
  }

  /** In all its life. */
  function spent(): Spent {
    const { steps, tokens, cost } = record.details
    return {
      steps: steps + meter.spent.steps - before.steps,
      tokens: tokens + meter.spent.tokens - before.tokens,
      cost: cost + meter.spent.cost - before.cost,
    }
  }

  function count(): void {
    const { steps, tokens } = spent()
    Object.assign(report, { steps, tokens })
    for (const listener of listeners) listener(report)
  }

  async function change(status: AgentStatus): Promise<void> {
    if (over && !isFinal(status)) return
    report.status = status
    count()
    const { note: _, ...details } = record.details
    const now = {
      ...record,
      status,
      updatedAt: Date.now(),
      details: {
        ...details,
        told: isFinal(status) ? [] : [...told],
        ...(isFinal(status) && spent()),
        ...(report.note !== undefined && { note: report.note }),
      },
    }
    saved = saved.catch(() => undefined).then(() => host.save(now))
    await saved
  }

  /** `limit`: what ended it before it was asked for a summary. */
  function conclude({ status, message, error }: RunOutcome, limit: string | undefined): void {
    report.status = status === 'done' ? 'completed' : status === 'failed' ? 'failed' : 'stopped'
    report.text = finalText(message) || (status === 'done' ? '' : allText(message))
    const note = error?.message ?? limit ?? message.metadata?.stopped?.message ?? stoppedNote(status)
    if (note !== undefined) report.note = note
  }
}

function summaryOf({ runId }: PendingMessage): PendingMessage {
  return {
    runId: derivedId('run_', runId, 'summary'),
    message: { id: derivedId('msg_', runId, 'summary'), text: summaryRequest },
  }
}

function stoppedNote(status: RunOutcome['status']): string | undefined {
  if (status === 'aborted') return 'It was stopped before it had finished.'
  return status === 'interrupted' ? 'It was interrupted before it had finished.' : undefined
}

/** What it said last: the text after its last calls. */
export function finalText({ parts }: Pick<Message, 'parts'>): string {
  return textOf(parts.slice(parts.findLastIndex((part) => part.type === 'step-start') + 1))
}

function allText({ parts }: Pick<Message, 'parts'>): string {
  return textOf(parts)
}

function textOf(parts: Message['parts']): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim()
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

/** A run of the tree, as its sub-agents need it. */
export interface TreeRun extends Delegator {
  runId: string
  /** Null for the master. */
  agentId: string | null
  signal: AbortSignal
  steer(message: { id: string; text: string }): Promise<void>
  /** An earlier process worked on it. */
  resumed: boolean
}

/** What links share. */
export interface AgentTreeContext {
  host: AgentHost
  sessionId: string
  parallel: number
  /** Those at work. */
  nodes: ReadonlyMap<string, AgentNode>
  begin(parent: TreeRun, record: AgentRecordWithDetails, slot: Slot): AgentNode
  reportOf(agentId: string, viewer: readonly AgentFrame[]): Promise<AgentReport | Refusal>
  now(): number
}

export type AgentRecordWithDetails = AgentRecord & { details: AgentDetails }

export function storedReport(record: AgentRecord, text: string): AgentReport {
  const { agentId, name, status, details } = record
  return {
    agentId,
    name,
    status: status as AgentStatus,
    text,
    steps: details?.steps ?? 0,
    tokens: details?.tokens ?? 0,
    ...(details?.note !== undefined && { note: details.note }),
  }
}

/** So many at a time; the rest wait in the order in which they came. */
interface Slots {
  /** Takes a place in the line at once. */
  take(): Slot
}

export interface Slot {
  /** Resolves when it is this one's turn. */
  ready: Promise<void>
  /** Gives the place back, whether it was its turn or not. */
  free(): void
}

export function createSlots(count: number): Slots {
  const line: { begin: () => void }[] = []
  let used = 0

  return {
    take() {
      const { promise, resolve } = Promise.withResolvers<void>()
      let state: 'waiting' | 'holding' | 'freed' = 'waiting'
      const place = {
        begin() {
          state = 'holding'
          used++
          resolve()
        },
      }
      line.push(place)
      advance()
      return {
        ready: promise,
        free() {
          if (state === 'holding') used--
          else if (state === 'waiting') line.splice(line.indexOf(place), 1)
          state = 'freed'
          advance()
        },
      }
    },
  }

  function advance(): void {
    while (used < count && line.length > 0) line.shift()?.begin()
  }
}
