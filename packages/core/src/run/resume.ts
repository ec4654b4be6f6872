import type { Chunk, LogItem, NotedCall, SteeringMessage, Usage, Message } from '@troupe/protocol'
import { findTool } from '../tool/tool-set.ts'
import type { Tool } from '../tool/tool.ts'

/** State of a run when its process ended, read from its journal. */
export interface Resume {
  chunks: Chunk[]
  step: number
  attempt: number
  /**
   * `model`: the model call had not ended. `calls`: it had, and its tool calls may be unfinished. `between`: the step
   * was over.
   */
  phase: 'start' | 'model' | 'calls' | 'between' | 'finished'
  calls: NotedCall[]
  /** Calls that had started executing, with their actual input. */
  started: Map<string, unknown>
  finishReason: string
  usage: Usage[]
  /** Usage of the latest model call. */
  lastUsage?: Usage
  elapsedMs: number
  /** End chunks of the texts that were still streaming. */
  openTexts: Map<string, Extract<Chunk, { type: 'text-end' | 'reasoning-end' }>>
  /** Steering messages accepted but not yet injected. */
  steering: SteeringMessage[]
  processes: { toolCallId: string; pid: number; startTime: string }[]
  /** Files the model had read, by real path, if a person was asked about changing them. */
  seen: Map<string, Extract<LogItem, { type: '$seen' }>['stamp']>
}

export function readResume(items: Iterable<LogItem>): Resume {
  const resume: Resume = {
    chunks: [],
    step: 0,
    attempt: 1,
    phase: 'start',
    calls: [],
    started: new Map(),
    finishReason: 'other',
    usage: [],
    elapsedMs: 0,
    openTexts: new Map(),
    steering: [],
    processes: [],
    seen: new Map(),
  }
  for (const item of items) applyItem(resume, item)
  return resume
}

function applyItem(resume: Resume, item: LogItem): void {
  switch (item.type) {
    case '$resume':
      resume.attempt = item.attempt
      return
    case '$step':
      resume.elapsedMs = item.elapsedMs ?? resume.elapsedMs
      resume.step = item.step
      resume.attempt = item.attempt
      resume.phase = 'model'
      resume.calls = []
      resume.started = new Map()
      return
    case '$model-end':
      resume.elapsedMs = item.elapsedMs ?? resume.elapsedMs
      resume.phase = 'calls'
      resume.calls = item.calls
      resume.finishReason = item.finishReason
      resume.lastUsage = item.usage as unknown as Usage | undefined
      if (resume.lastUsage !== undefined) resume.usage.push(resume.lastUsage)
      return
    case '$call':
      resume.started.set(item.toolCallId, item.input)
      return
    case '$process':
      resume.processes.push({ toolCallId: item.toolCallId, pid: item.pid, startTime: item.startTime })
      return
    case '$seen':
      resume.seen.set(item.path, item.stamp)
      return
    case '$steer': {
      const { type: _, ...message } = item
      resume.steering.push(message)
      return
    }
    case '$spend':
      resume.usage.push(item.usage as unknown as Usage)
      return
    case '$repair':
      return
    default: {
      const chunk = item as Chunk
      resume.chunks.push(chunk)
      trackOpenTexts(resume.openTexts, chunk)
      if (chunk.type === 'finish-step') resume.phase = 'between'
      else if (chunk.type === 'finish') resume.phase = 'finished'
      else if (chunk.type === 'steering-message')
        resume.steering = resume.steering.filter((message) => message.id !== chunk.id)
    }
  }
}

function trackOpenTexts(open: Resume['openTexts'], chunk: Chunk): void {
  if (chunk.type === 'text-start') open.set(`text-end ${chunk.id}`, { type: 'text-end', id: chunk.id })
  else if (chunk.type === 'reasoning-start')
    open.set(`reasoning-end ${chunk.id}`, { type: 'reasoning-end', id: chunk.id })
  else if (chunk.type === 'text-end' || chunk.type === 'reasoning-end') open.delete(`${chunk.type} ${chunk.id}`)
  else if (chunk.type === 'reset-step') open.clear()
}

interface FinishedCall {
  toolName: string
  tool: Tool | undefined
  input: unknown
  result: unknown
}

export function finishedCalls(message: Message, tools: readonly Tool[]): FinishedCall[] {
  return message.parts.flatMap((part) => {
    if (!('toolCallId' in part) || !('state' in part) || !part.state.startsWith('output-')) return []
    const toolName = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
    const result: unknown = 'errorText' in part ? part.errorText : 'output' in part ? part.output : undefined
    return [{ toolName, tool: findTool(toolName, tools), input: part.input, result }]
  })
}
