import type { AgentStatus } from '@troupe/core'
import { type Chunk, createFold, type Fold, type Message } from '@troupe/protocol'
import { isRecord, numberIn, textIn } from '../../api/read-fields.ts'
import { t } from '../../texts/t.ts'
import { stripMarkdown } from '../../ui/strip-markdown.ts'
import { getToolName, isToolCall, partData, readToolCall } from './message-parts.ts'
import { openAsks } from './session-state.ts'

/** Sub-agent as shown: its stored state plus stream updates. */
export interface SubAgent {
  agentId: string
  /** Null if its parent is the session's main agent. */
  parentAgentId: string | null
  /** Call that started it. Null until known. */
  toolCallId: string | null
  name: string
  task: string
  status: AgentStatus
  background: boolean
  /** Counts the current turn while at work, all turns afterwards. Includes its sub-agents. */
  steps: number
  tokens: number
  /** Null until it ends. */
  cost: number | null
  model: string | null
  /** Reason the answer may be incomplete. */
  note: string | null
  startedAt: number
  /** Duration of the latest turn. Null until the turn ends. */
  elapsedMs: number | null
  currentCall: CurrentCall | null
  line: string
  asks: number
  /** True if the call that started it reports its status. Otherwise its own chunks do. */
  isReported: boolean
}

export interface CurrentCall {
  title: string
  target: string | undefined
}

export function isAgentActive({ status }: Pick<SubAgent, 'status'>): boolean {
  return status === 'pending' || status === 'running' || status === 'waiting'
}

/** Current activity of an agent, derived from its answer so far. */
export interface Activity {
  currentCall: CurrentCall | null
  line: string
  asks: number
  steps: number
  startedAt: number | undefined
  elapsedMs: number | undefined
}

export function readActivity(message: Message): Activity {
  const { createdAt, elapsedMs } = message.metadata ?? {}
  return {
    currentCall: readDoing(message),
    line: readLine(message),
    asks: openAsks(message).length,
    steps: message.parts.filter((part) => part.type === 'step-start').length,
    startedAt: createdAt,
    elapsedMs,
  }
}

function readDoing({ parts }: Message): CurrentCall | null {
  const part = parts.findLast((one) => isToolCall(one) && !one.state.startsWith('output-'))
  if (part === undefined || !isToolCall(part)) return null
  if (getToolName(part) === 'Task') return { title: t.subAgents.doing.delegates, target: readTask(part.input).name }
  const { title, summary } = readToolCall(part, { progress: undefined, live: true, latest: true })
  return { title, target: summary }
}

const lineCharacters = 240

/** Reads only the end of the text, because it runs on every update. */
function readLine({ parts }: Message): string {
  const part = parts.findLast((one) => (one.type === 'text' || one.type === 'reasoning') && one.text.trim() !== '')
  if (part === undefined || !('text' in part)) return ''
  const lines = stripMarkdown(part.text.slice(-4 * lineCharacters)).split('\n')
  return (lines.findLast((line) => line.trim() !== '') ?? '').trim().slice(-lineCharacters)
}

interface Turn {
  fold: Fold
  tokens: number
}

interface TurnUpdate {
  activity: Activity
  tokens: number
}

/** Tracks the current turns of agents. Taking a chunk is an append; results are computed on read. */
export function createAgentTurns() {
  const turns = new Map<string, Turn>()
  const changed = new Set<string>()

  return { take, read, readAll, forget, forgetAllBut }

  function take(agentId: string, chunk: Chunk): void {
    let turn = turns.get(agentId)
    if (turn === undefined || chunk.type === 'start') {
      // A follow-up message starts another turn, and a replayed stream starts over.
      turn = { fold: createFold(), tokens: 0 }
      turns.set(agentId, turn)
    }
    turn.fold.push(chunk)
    const usage = partData(chunk, 'usage')
    if (usage !== undefined) turn.tokens = usage.totalTokens
    changed.add(agentId)
  }

  /** Returns the agent's activity. Undefined if nothing changed. */
  function read(agentId: string): TurnUpdate | undefined {
    const turn = turns.get(agentId)
    if (turn === undefined || !changed.delete(agentId)) return undefined
    return { activity: readActivity(turn.fold.snapshot()), tokens: turn.tokens }
  }

  function readAll(): [agentId: string, news: TurnUpdate][] {
    return [...changed].flatMap((agentId): [string, TurnUpdate][] => {
      const news = read(agentId)
      return news === undefined ? [] : [[agentId, news]]
    })
  }

  function forget(agentId: string): void {
    turns.delete(agentId)
    changed.delete(agentId)
  }
  function forgetAllBut(kept: ReadonlySet<string>): void {
    for (const agentId of turns.keys()) if (!kept.has(agentId)) forget(agentId)
  }
}

/** Reads the agent and task from the input, under any field name that models use. */
export function readTask(input: unknown): { name: string | undefined; task: string } {
  const fields = isRecord(input) ? input : {}
  const first = (...names: string[]) => names.map((name) => textIn(fields[name])?.trim()).find(Boolean)
  return {
    name: first('name', 'subagent_type', 'agent_type'),
    task: first('task', 'prompt', 'message', 'description') ?? '',
  }
}

export interface Report {
  agentId: string | undefined
  name: string
  status: string
  text: string
  note: string | undefined
  steps: number
  tokens: number
}

/** Undefined for a refusal or anything else that is not a report. */
export function readReport(value: unknown): Report | undefined {
  if (!isRecord(value)) return undefined
  const status = textIn(value['status'])
  const name = textIn(value['name'])
  if (status === undefined || name === undefined) return undefined
  return {
    agentId: textIn(value['agentId']),
    name,
    status,
    text: textIn(value['text']) ?? '',
    note: textIn(value['note']),
    steps: numberIn(value['steps']) ?? 0,
    tokens: numberIn(value['tokens']) ?? 0,
  }
}

export function readRefusal(value: unknown): string | undefined {
  return isRecord(value) && typeof value['refused'] === 'string' ? textIn(value['message']) : undefined
}

export function isKnownStatus(status: string): status is AgentStatus {
  return ['pending', 'running', 'waiting', 'completed', 'failed', 'stopped'].includes(status)
}
