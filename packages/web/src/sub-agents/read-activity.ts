import type { Message } from '@troupe/core/protocol'
import { openAsks } from '../chat/session-state.ts'
import { isToolCall, readToolCall, getToolName } from '../chat/tool-call.ts'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { t } from '../texts/t.ts'
import { readTask } from './read-task.ts'
import type { CurrentCall } from './sub-agent.ts'

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
