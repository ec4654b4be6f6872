import { isAtWork } from './sub-agent.ts'
import type { Doing, SubAgent } from './sub-agent.ts'

/** How an agent stands, in a word. */
export function statusWord({ status, asks }: Pick<SubAgent, 'status' | 'asks'>): string {
  switch (status) {
    case 'pending':
      return 'queued'
    case 'waiting':
      return asks > 0 ? 'waits for you' : 'waits'
    case 'completed':
      return 'done'
    default:
      return status
  }
}

/** What an agent at work is doing. */
export function describeWork(agent: SubAgent): Doing {
  const { status, asks, doing, line } = agent
  if (status === 'pending') return { title: 'Waits for a free place', target: undefined }
  if (status === 'waiting' && asks > 0) return { title: 'Waits for you', target: doing?.title }
  if (status === 'waiting') return { title: 'Waits for one below', target: undefined }
  if (doing !== null) return doing
  return { title: line === '' ? 'Begins' : 'Writes', target: undefined }
}

/** Below its name: what it has written last; once it is over, why its answer may not be whole. */
export function lastWords(agent: SubAgent): string {
  return isAtWork(agent) ? agent.line : (agent.note ?? '')
}

export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}

/** `7 s`, `2 min 5 s`: for what is still counted. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
