import type { AgentStatus } from '@troupe/core'
import { type Chunk, createFold, type Fold, type Message } from '@troupe/protocol'
import { isRecord, numberIn, textIn } from '../../api/read-fields.ts'
import { t } from '../../texts/t.ts'
import { stripMarkdown } from '../../ui/strip-markdown.ts'
import { getToolName, isToolCall, partData, readToolCall } from './message-parts.ts'
import { openAsks } from './session-state.ts'

/** A sub-agent as the page shows it: what is stored of it, and what its stream has told since. */
export interface SubAgent {
  agentId: string
  /** Null: it works for the agent that the session talks to. */
  parentAgentId: string | null
  /** The call that started it; null until it is known. */
  toolCallId: string | null
  name: string
  task: string
  status: AgentStatus
  background: boolean
  /** Of its newest turn while it works, of all of them afterwards; those below it count. */
  steps: number
  tokens: number
  /** Known when it has ended. */
  cost: number | null
  model: string | null
  /** Why its answer may not be whole. */
  note: string | null
  startedAt: number
  /** How long its newest turn took; null until it has ended. */
  elapsedMs: number | null
  doing: CurrentCall | null
  /** The last line that it has written. */
  line: string
  /** How much it asks the person itself. */
  asks: number
  /** The call that started it tells how it stands; else its own chunks have to. */
  isReported: boolean
}

/** The call that it is at. */
export interface CurrentCall {
  title: string
  target: string | undefined
}

export function isAgentActive({ status }: Pick<SubAgent, 'status'>): boolean {
  return status === 'pending' || status === 'running' || status === 'waiting'
}

/** What an agent is at, as its answer so far tells. */
export interface Activity {
  doing: CurrentCall | null
  line: string
  asks: number
  steps: number
  startedAt: number | undefined
  /** Once its turn has ended. */
  elapsedMs: number | undefined
}

export function readActivity(message: Message): Activity {
  const { createdAt, elapsedMs } = message.metadata ?? {}
  return {
    doing: readDoing(message),
    line: readLine(message),
    asks: openAsks(message).length,
    steps: message.parts.filter((part) => part.type === 'step-start').length,
    startedAt: createdAt,
    elapsedMs,
  }
}

/** The newest call that has no result. */
function readDoing({ parts }: Message): CurrentCall | null {
  const part = parts.findLast((one) => isToolCall(one) && !one.state.startsWith('output-'))
  if (part === undefined || !isToolCall(part)) return null
  if (getToolName(part) === 'Task') return { title: t.subAgents.doing.delegates, target: readTask(part.input).name }
  const { title, summary } = readToolCall(part, { progress: undefined, live: true, latest: true })
  return { title, target: summary }
}

const lineCharacters = 240

/** Only the end of the text is looked at: this is done again whenever it has grown. */
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

/** The turns that agents are at. A chunk costs an append; what has become of them is worked out when it is read. */
export function createAgentTurns() {
  const turns = new Map<string, Turn>()
  const changed = new Set<string>()

  return { take, read, readAll, forget, forgetAllBut }

  function take(agentId: string, chunk: Chunk): void {
    let turn = turns.get(agentId)
    if (turn === undefined || chunk.type === 'start') {
      // Told more, it begins another turn; and a stream that is sent anew begins at its beginning.
      turn = { fold: createFold(), tokens: 0 }
      turns.set(agentId, turn)
    }
    turn.fold.push(chunk)
    const usage = partData(chunk, 'usage')
    if (usage !== undefined) turn.tokens = usage.totalTokens
    changed.add(agentId)
  }

  /** What one is at; undefined when there is no news. */
  function read(agentId: string): TurnUpdate | undefined {
    const turn = turns.get(agentId)
    if (turn === undefined || !changed.delete(agentId)) return undefined
    return { activity: readActivity(turn.fold.snapshot()), tokens: turn.tokens }
  }

  /** All of which there is news. */
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

/** Who is to do what, by whichever of its names the model has called the fields. */
export function readTask(input: unknown): { name: string | undefined; task: string } {
  const fields = isRecord(input) ? input : {}
  const first = (...names: string[]) => names.map((name) => textIn(fields[name])?.trim()).find(Boolean)
  return {
    name: first('name', 'subagent_type', 'agent_type'),
    task: first('task', 'prompt', 'message', 'description') ?? '',
  }
}

/** What became of an agent, as tools report it. */
export interface Report {
  agentId: string | undefined
  name: string
  status: string
  text: string
  note: string | undefined
  steps: number
  tokens: number
}

/** Undefined for a refusal, and for everything else that is no report. */
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

/** Why an agent was not started, or not found. */
export function readRefusal(value: unknown): string | undefined {
  return isRecord(value) && typeof value['refused'] === 'string' ? textIn(value['message']) : undefined
}

export function isKnownStatus(status: string): status is AgentStatus {
  return ['pending', 'running', 'waiting', 'completed', 'failed', 'stopped'].includes(status)
}
