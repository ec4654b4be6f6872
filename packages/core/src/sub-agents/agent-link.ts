import { NamedError } from '@troupe/protocol'
import {
  type AgentReport,
  type Agents,
  isFinal,
  type Refusal,
  type SkillLimits,
  type SpawnRequest,
} from '../tool/services.ts'
import { type AgentLink, derivedId } from './agent-host.ts'
import {
  type AgentNode,
  type AgentRecordWithDetails,
  type AgentTreeContext,
  createSlots,
  storedReport,
  type TreeRun,
} from './agent-node.ts'
import { agentResultText, narrowSetup, prepareSpawn } from './delegate.ts'

type AgentsCall = Parameters<AgentLink['agents']>[0]

export function createAgentLink(tree: AgentTreeContext, run: TreeRun): AgentLink {
  const { host, nodes } = tree
  const slots = createSlots(tree.parallel)
  /** No call waits for these agents. The run is notified when they end. */
  const background = new Map<string, AgentNode>()
  const own = new Set<AgentNode>()
  let wakeUp = Promise.withResolvers<void>()
  const restored = run.resumed ? restoreSpent() : Promise.resolve()

  return {
    agents: (call) => agentsFor(call),
    async idle(waiting) {
      await restored
      if (background.size === 0) return false
      const watched = [...background.values()]
      const stop = watchWaiting(watched, waiting)
      try {
        await Promise.race([wakeUp.promise, abortOf(run.signal)])
      } finally {
        stop()
      }
      return true
    },
    wake,
    async resume() {
      await restored
      for (const record of await ownRecords()) {
        if (!isFinal(record.status as AgentReport['status'])) attach(record, slots.acquire())
        else if (record.details.background) await tellEnd(storedReport(record, await host.lastText(record.agentId)))
      }
    },
    async close() {
      for (const node of own) node.stop(new NamedError('Stopped', 'Stopped: its parent agent has ended.'))
      await Promise.allSettled([...own].map((node) => node.ended))
    },
  }

  function wake(): void {
    wakeUp.resolve()
    wakeUp = Promise.withResolvers<void>()
  }

  function agentsFor(call: AgentsCall): Agents {
    return {
      spawn: (request, onChange) => spawn(call, request, onChange),
      send: (agentId, text, options) => send(call, agentId, text, options),
      wait: (agentIds, options) => wait(call, agentIds, options),
      async abort(agentId) {
        const refusal = await refuseStranger(agentId)
        if (refusal !== undefined) return refusal
        const node = nodes.get(agentId)
        if (node === undefined) return tree.reportOf(agentId, run.frames)
        node.claimed = true
        node.stop(new NamedError('Stopped', 'Stopped by its parent agent.'))
        return node.ended
      },
    }
  }

  async function spawn(
    call: AgentsCall,
    request: SpawnRequest,
    onChange?: (report: AgentReport) => void,
  ): Promise<AgentReport | Refusal> {
    const agentId = derivedId('agent_', run.runId, call.toolCallId)
    // Take the slot before any await, so agents start in the order of their calls.
    const slot = slots.acquire()
    let node: AgentNode
    try {
      await restored
      const known = nodes.get(agentId)
      const found = known ?? (await findOrPrepare(agentId, call, request))
      if (!('record' in found)) slot.free()
      if ('refused' in found || 'status' in found) return found
      node = 'record' in found ? attach(found.record, slot) : found
    } catch (error) {
      slot.free()
      throw error
    }
    if (request.background === true) return node.report
    const abort = (): void => node.stop(call.signal.reason as NamedError)
    if (onChange !== undefined) node.listeners.add(onChange)
    if (call.signal.aborted) abort()
    else call.signal.addEventListener('abort', abort, { once: true })
    const stop = watchWaiting([node], call.waiting)
    try {
      onChange?.(node.report)
      return await node.ended
    } finally {
      stop()
      call.signal.removeEventListener('abort', abort)
    }
  }

  /** Returns the stored record of a new agent, the record of one that an earlier process started, or its outcome. */
  async function findOrPrepare(
    agentId: string,
    call: AgentsCall,
    request: SpawnRequest,
  ): Promise<{ record: AgentRecordWithDetails } | Refusal | AgentReport> {
    const known = await host.find(agentId)
    if (known?.details !== undefined) {
      if (!isFinal(known.status as AgentReport['status'])) return { record: known as AgentRecordWithDetails }
      return storedReport(known, await host.lastText(agentId))
    }
    const prepared = await prepareSpawn(host, run, request)
    if ('refused' in prepared) return prepared
    const now = tree.now()
    const { name, agentType, setup } = prepared
    const runId = derivedId('run_', run.runId, call.toolCallId)
    const record: AgentRecordWithDetails = {
      sessionId: tree.sessionId,
      agentId,
      parentAgentId: run.agentId,
      name,
      task: request.task,
      agentType,
      status: 'pending',
      title: request.task.slice(0, 80),
      runId,
      details: {
        parentRunId: run.runId,
        toolCallId: call.toolCallId,
        background: request.background === true,
        setup,
        told: [{ runId, message: { id: deriveMessageId(runId), text: request.task } }],
        steps: 0,
        tokens: 0,
        cost: 0,
      },
      createdAt: now,
      updatedAt: now,
    }
    await host.save(record)
    return { record }
  }

  function attach(record: AgentRecordWithDetails, slot: ReturnType<typeof slots.acquire>): AgentNode {
    return keep(tree.begin(run, record, slot), record.details.background, record.agentId)
  }

  function keep(node: AgentNode, inBackground: boolean, agentId: string): AgentNode {
    own.add(node)
    if (inBackground) background.set(agentId, node)
    const ended = async (): Promise<void> => {
      own.delete(node)
      if (background.get(agentId) !== node) return
      try {
        if (!node.claimed && !run.signal.aborted) await tellEnd(await node.ended)
      } finally {
        // After any failure, stop waiting for it.
        background.delete(agentId)
        wake()
      }
    }
    // If a result cannot be stored or delivered, the run itself stops at its next step.
    void node.ended.then(ended, ended).catch(() => undefined)
    return node
  }

  /** Delivers the report to the run at its next step, exactly once. A run whose answer is complete does not need it. */
  async function tellEnd(report: AgentReport): Promise<void> {
    const id = derivedId('notice_', report.agentId, String(report.steps), report.status)
    await run.steer({ id, text: agentResultText(report) }).catch((error: unknown) => {
      if (!isNoRun(error)) throw error
    })
  }

  async function send(
    call: AgentsCall,
    agentId: string,
    text: string,
    {
      interrupt = false,
      messageId,
      skillLimits = [],
    }: { interrupt?: boolean; messageId?: string; skillLimits?: SkillLimits } = {},
  ): Promise<AgentReport | Refusal> {
    const refusal = await refuseStranger(agentId)
    if (refusal !== undefined) return refusal
    const runId = derivedId('run_', run.runId, call.toolCallId)
    const message = { id: messageId ?? deriveMessageId(runId), text }
    const node = nodes.get(agentId)
    if (node !== undefined) {
      try {
        await node.send({ ...message, runId, skillLimits }, interrupt)
        return node.report
      } catch (error) {
        if (!isNoRun(error)) throw error
        await node.ended
      }
    }
    const spent = run.meter.exceeded()
    if (spent !== undefined) return { refused: 'BUDGET', message: spent }
    const known = (await host.find(agentId)) as AgentRecordWithDetails
    if (known.runId === runId) return tree.reportOf(agentId, run.frames)
    const setup = narrowSetup(known.details.setup, skillLimits)
    const { parentRunId, steps, tokens, cost, earlier } = known.details
    const before = parentRunId === run.runId ? earlier : { steps, tokens, cost }
    const details = {
      ...known.details,
      setup,
      parentRunId: run.runId,
      background: true,
      told: [{ runId, message }],
      earlier: before,
    }
    const record: AgentRecordWithDetails = { ...known, status: 'pending', runId, details, updatedAt: Date.now() }
    await host.save(record)
    return attach(record, slots.acquire()).report
  }

  async function wait(
    call: AgentsCall,
    agentIds: readonly string[],
    { mode = 'all', ms }: { mode?: 'any' | 'all'; ms?: number } = {},
  ): Promise<(AgentReport | Refusal)[]> {
    const awaited = agentIds.flatMap((agentId) => nodes.get(agentId) ?? [])
    const isOver = awaited.length < agentIds.length && mode === 'any'
    if (awaited.length > 0 && !isOver) {
      const ends = awaited.map((node) => node.ended)
      for (const node of awaited) node.claimed = true
      const stop = watchWaiting(awaited, call.waiting)
      const timer = Promise.withResolvers<void>()
      const timeout = ms === undefined ? undefined : setTimeout(timer.resolve, ms)
      try {
        await Promise.race([
          mode === 'any' ? Promise.race(ends) : Promise.all(ends),
          timer.promise,
          abortOf(call.signal),
        ])
      } finally {
        clearTimeout(timeout)
        stop()
      }
    }
    for (const node of awaited) node.claimed = isFinal(node.report.status)
    return Promise.all(
      agentIds.map(async (agentId) => {
        const refusal = await refuseStranger(agentId)
        const node = awaited.find((one) => one.agentId === agentId)
        return refusal ?? (node === undefined ? tree.reportOf(agentId, run.frames) : { ...node.report })
      }),
    )
  }

  /** An agent can reach its descendants. The master can reach everyone. */
  async function refuseStranger(agentId: string): Promise<Refusal | undefined> {
    for (let id: string | null = agentId; id !== null;) {
      const record = await host.find(id)
      if (record === undefined) break
      if (record.parentAgentId === run.agentId || run.agentId === null) return undefined
      id = record.parentAgentId
    }
    const report = await tree.reportOf('', run.frames)
    const { message } = report as Refusal
    return { refused: 'NOT_FOUND', message: message.replace('""', `"${agentId}"`) }
  }

  async function ownRecords(): Promise<AgentRecordWithDetails[]> {
    const records = await host.list()
    return records.filter((record): record is AgentRecordWithDetails => record.details?.parentRunId === run.runId)
  }

  /** Restores the spending of sub-agents before the restart. Excludes runs that continue. */
  async function restoreSpent(): Promise<void> {
    for (const { details } of await ownRecords()) {
      const { steps, tokens, cost, earlier = { steps: 0, tokens: 0, cost: 0 } } = details
      run.meter.addBelow({
        steps: steps - earlier.steps,
        tokens: tokens - earlier.tokens,
        cost: cost - earlier.cost,
      })
    }
  }
}

function deriveMessageId(runId: string): string {
  return derivedId('msg_', runId)
}

/** Marks the call as waiting for a person while all unfinished agents do. */
function watchWaiting(nodes: readonly AgentNode[], waiting: () => () => void): () => void {
  let release: (() => void) | undefined
  const look = (): void => {
    const open = nodes.filter((node) => !isFinal(node.report.status))
    const waits = open.length > 0 && open.every((node) => node.report.status === 'waiting')
    if (waits) release ??= waiting()
    else if (release !== undefined) {
      release()
      release = undefined
    }
  }
  for (const node of nodes) node.listeners.add(look)
  look()
  return () => {
    for (const node of nodes) node.listeners.delete(look)
    release?.()
  }
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

function isNoRun(error: unknown): boolean {
  return error instanceof NamedError && error.name === 'NoRun'
}
