import { type Chunk, type Message, NamedError } from '@troupe/protocol'
import { Meter, type Spent, type WriteLock } from '../run/tree-state.ts'
import type { RunOutcome } from '../run/turn.ts'
import type { AgentDetails, AgentRecord, PendingMessage } from '../store/records.ts'
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

/** A running or queued sub-agent. Leaves memory when it has ended. */
export interface AgentNode {
  readonly agentId: string
  readonly report: AgentReport
  /** Rejects only if its work could not be stored. */
  readonly ended: Promise<AgentReport>
  readonly listeners: Set<(report: AgentReport) => void>
  claimed: boolean
  send(
    message: { id: string; text: string; runId: string; skillLimits: SkillLimits },
    interrupt: boolean,
  ): Promise<void>
  stop(reason: NamedError): void
}

interface NodeOptions {
  host: AgentHost
  record: AgentRecord & { details: AgentDetails }
  frames: readonly AgentFrame[]
  meter: Meter
  writes: WriteLock
  slot: Slot
  /** Aborted with the run it works for. */
  signal: AbortSignal
  emit(chunk: Chunk): void
  onChunk(chunk: Chunk): void
  link(node: { runId: string; signal: AbortSignal; meter: Meter }, run: Parameters<ChildRun['link']>[0]): AgentLink
}

const summaryRequest =
  'You ended without an answer. In a few sentences, say what you did, what you found and what is left to do.'

/** Runs a sub-agent: waits for a slot, then answers messages until there are none left. */
export function startNode(options: NodeOptions): AgentNode {
  const { host, slot, meter } = options
  const { agentId, name } = options.record
  const life = new AbortController()
  const listeners = new Set<(report: AgentReport) => void>()
  /** Messages it still has to answer, current one first. */
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
    async send({ runId, skillLimits: unasked, ...message }, interrupt) {
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
      if (interrupt) current?.abort(new NamedError('Stopped', 'Stopped: its parent agent sent it a new message.'))
    },
    stop: (reason) => life.abort(reason),
  }

  /** Limits its future runs, also after a restart, to what the sender of the message allows without asking. */
  function narrow(unasked: SkillLimits): void {
    const setup = narrowSetup(record.details.setup, unasked)
    if (setup === record.details.setup) return
    record = { ...record, details: { ...record.details, setup } }
    frames = [...frames.slice(0, -1), { ...(frames.at(-1) as AgentFrame), skillLimits: setup.unasked ?? [] }]
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

  /** Store the spending together with the remaining messages, so that a restart counts it once. */
  function answered(): void {
    told.shift()
    record = { ...record, details: { ...record.details, ...spent() } }
    before = { ...meter.spent }
  }

  async function tell({ runId, message }: PendingMessage, summary = false): Promise<RunOutcome> {
    life.signal.throwIfAborted()
    current = new AbortController()
    const signal = AbortSignal.any([life.signal, current.signal])
    record = { ...record, runId }
    // A restart does not depend on this status, so it need not be awaited.
    void change('running').catch(() => undefined)
    // A separate meter, so that each answer reports its own spending.
    const ofRun = new Meter(name, {}, meter)
    let link: AgentLink | undefined
    try {
      hosted = await host.open({
        runId,
        summary: summary || undefined,
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
        note: report.note,
      },
    }
    saved = saved.catch(() => undefined).then(() => host.save(now))
    await saved
  }

  /** `limit`: the limit that ended it before the request for a summary. */
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
  if (status === 'aborted') return 'Stopped before it finished.'
  return status === 'interrupted' ? 'Interrupted before it finished.' : undefined
}

/** Returns the text after its last tool calls. */
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

export interface TreeRun extends Delegator {
  runId: string
  /** Null for the master. */
  agentId: string | null
  signal: AbortSignal
  steer(message: { id: string; text: string }): Promise<void>
  /** An earlier process worked on it. */
  resumed: boolean
}

export interface AgentTreeContext {
  host: AgentHost
  sessionId: string
  parallel: number
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
    note: details?.note,
  }
}

/** Limits concurrency. Further agents wait in order of arrival. */
interface Slots {
  /** Joins the queue synchronously. */
  acquire(): Slot
}

export interface Slot {
  ready: Promise<void>
  /** Releases the slot, even while still queued. */
  free(): void
}

export function createSlots(count: number): Slots {
  const line: { begin: () => void }[] = []
  let used = 0

  return {
    acquire() {
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
