import path from 'node:path'
import { privateTemporaryFolder } from '../files/private-folder.ts'
import type { AgentState } from '../agent-state.ts'
import { createAgentState } from '../create-agent-state.ts'
import type { TokenGauge } from '../compaction/token-gauge.ts'
import { cleanMessage } from '../protocol/clean.ts'
import { createFold } from '../protocol/fold.ts'
import type { Chunk, Message, Metadata, Usage } from '../protocol/message.ts'
import { joinSkills } from '../skills/agent-skills.ts'
import { findTool } from '../tool-set.ts'
import type { Tool } from '../tool.ts'
import { redactChunk } from './redact-chunk.ts'
import { RepeatGuard } from './repeat-guard.ts'
import { defaultLimits, type Limits, type RunInput } from './run-input.ts'
import { Stopwatch } from './stopwatch.ts'
import { addUsage, costOf } from './usage.ts'
import { createWriteLock, type WriteLock } from './write-lock.ts'

export type Turn = ReturnType<typeof openTurn>

/** The state of one turn, and the few things that every part of the loop does to it. */
export function openTurn(input: RunInput) {
  const { log, resume } = input
  const fold = createFold({ id: input.messageId })
  for (const chunk of resume?.chunks ?? []) fold.push(chunk)
  const limits: Limits = { ...defaultLimits, ...input.limits }
  const watch = new Stopwatch(resume?.elapsedMs)
  const steering = resume?.steering.slice() ?? []
  let taken: Set<string> | undefined
  let writes: WriteLock | undefined
  let state: AgentState | undefined
  let busy = 0
  let waitingCalls = 0
  let toldWaiting = false

  const turn = {
    input,
    log,
    fold,
    limits,
    watch,
    /** Which process this is that works on the run. */
    attempt: resume === undefined ? 1 : resume.attempt + 1,
    step: resume?.step ?? 0,
    usage: resume?.usage.reduce<Usage | undefined>(addUsage, undefined),
    finishReason: resume?.finishReason ?? 'other',
    /** How much the model has said. */
    size: 0,
    stopped: undefined as Metadata['stopped'],
    denied: false,
    /** The provider has forgotten what its earlier answers refer to: from here on they go without. */
    bare: false,
    /** Tokens that the model takes, as far as is known by now. */
    window: input.model.contextWindow,
    /** A file was refused: from now on files are words. */
    plainFiles: false,
    /** The last request had files. */
    sentFiles: false,
    /** Made when the window of the model is looked at. */
    gauge: undefined as TokenGauge | undefined,
    repeats: new RepeatGuard(limits.repeats),
    emit,
    takeCallId,
    waiting,
    writes: () => (writes ??= input.writes?.() ?? createWriteLock()),
    state: () => (state ??= openState()),
    /** True when messages wait to be injected. When the turn would end without one, none is accepted from then on. */
    takeSteering(ending: boolean): boolean {
      steering.push(...(input.steering?.(ending && steering.length === 0) ?? []))
      return steering.length > 0
    },
    injectSteering(): void {
      for (const { id, text, brought = [], unasked = [] } of steering.splice(0)) {
        emit({ type: 'steering-message', id, parts: [{ type: 'text', text }] })
        // Parts of the answer, right after it: clients know only texts and files in such a message.
        for (const part of brought) emit(part as Chunk)
        if (brought.length + unasked.length > 0) joinSkills(turn.state(), brought, unasked)
      }
    },
    /** The run counts as working while this goes on. */
    async work<T>(what: () => Promise<T>): Promise<T> {
      busy++
      try {
        return await what()
      } finally {
        busy--
        tellWaiting()
      }
    },
    /** What a call used of the model counts as what the turn did. */
    spend(usage: Usage): void {
      log.note({ type: '$spend', usage: { ...usage } })
      turn.usage = addUsage(turn.usage, usage)
      emit({ type: 'data-usage', data: turn.usage, transient: true })
      input.meter?.add({ tokens: usage.totalTokens, cost: costOf(usage, input.model.price) ?? 0 })
    },
    refuse(toolName: string): void {
      turn.denied = true
      turn.stopped = { reason: 'denied', message: `${toolName} was refused.` }
    },
  }
  if (resume !== undefined) {
    for (const { result, ...call } of finishedCalls(fold.snapshot(), input.tools)) {
      turn.repeats.check(call)
      turn.repeats.saw(call, result)
    }
  }
  return turn

  /** What came in an earlier process holds on. */
  function openState(): AgentState {
    const opened = input.state?.() ?? temporaryState(input)
    if (resume !== undefined) joinSkills(opened, fold.snapshot().parts)
    return opened
  }

  function emit(given: Chunk): void {
    const chunk = redactChunk(given, input.redact)
    fold.push(chunk)
    log.append(chunk)
  }

  /** Whether a call id is free: no call of the session has it, dropped attempts included. */
  async function takeCallId(id: string): Promise<boolean> {
    taken ??= new Set([...input.history.flatMap(callIds), ...(resume?.chunks.flatMap(completedCallIds) ?? [])])
    if (taken.has(id)) return false
    taken.add(id)
    return (await input.takeCallId?.(id)) ?? true
  }

  /** A call waits for a person until the returned function is called. */
  function waiting(): () => void {
    waitingCalls++
    tellWaiting()
    return () => {
      waitingCalls--
      tellWaiting()
    }
  }

  function tellWaiting(): void {
    const waits = waitingCalls > 0 && waitingCalls === busy
    if (waits === toldWaiting) return
    toldWaiting = waits
    if (waits) watch.pause()
    else watch.resume()
    input.onStatus?.(waits ? 'waiting' : 'running', () => cleanMessage(fold.snapshot(), { run: 'waiting' }))
  }
}

/** What the answer says about itself from its first chunk on. */
export function firstMetadata(input: RunInput): Metadata {
  const { kind, name, depth, path } = input.frames.at(-1) as RunInput['frames'][number]
  const { id: model, source } = input.model
  const agent = { kind, name, depth, path: [...path] }
  return { agent, model, ...(source !== undefined && { source }), createdAt: Date.now() }
}

/** For programs that keep none: the agent forgets with the run. */
function temporaryState(input: RunInput): AgentState {
  return createAgentState({
    workspace: input.workspace.path,
    outputFolder: path.join(privateTemporaryFolder(), input.session.id),
  })
}

function callIds(message: { parts: readonly object[] }): string[] {
  return message.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId as string] : []))
}

/** A call that is complete may have asked or run, even if its attempt was dropped. */
function completedCallIds(chunk: Chunk): string[] {
  return chunk.type === 'tool-input-available' ? [chunk.toolCallId] : []
}

interface FinishedCall {
  toolName: string
  tool: Tool | undefined
  input: unknown
  result: unknown
}

function finishedCalls(message: Message, tools: readonly Tool[]): FinishedCall[] {
  return message.parts.flatMap((part) => {
    if (!('toolCallId' in part) || !('state' in part) || !part.state.startsWith('output-')) return []
    const toolName = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
    const result: unknown = 'errorText' in part ? part.errorText : 'output' in part ? part.output : undefined
    return [{ toolName, tool: findTool(toolName, tools), input: part.input, result }]
  })
}
