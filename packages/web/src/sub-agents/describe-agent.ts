import { t } from '../texts/t.ts'
import { isAgentActive } from './sub-agent.ts'
import type { CurrentCall, SubAgent } from './sub-agent.ts'

/** How an agent stands, in a word. */
export function statusLabel({ status, asks }: Pick<SubAgent, 'status' | 'asks'>): string {
  return status === 'waiting' && asks > 0 ? t.subAgents.waitsForYou : t.subAgents.statuses[status]
}

/** What an agent at work is doing. */
export function describeWork(agent: SubAgent): CurrentCall {
  const { status, asks, doing, line } = agent
  if (status === 'pending') return { title: t.subAgents.doing.pending, target: undefined }
  if (status === 'waiting' && asks > 0) return { title: t.subAgents.doing.ask, target: doing?.title }
  if (status === 'waiting') return { title: t.subAgents.doing.below, target: undefined }
  if (doing !== null) return doing
  return { title: line === '' ? t.subAgents.doing.begins : t.subAgents.doing.writes, target: undefined }
}

/** Below its name: what it has written last; once it is over, why its answer may not be whole. */
export function latestText(agent: SubAgent): string {
  return isAgentActive(agent) ? agent.line : (agent.note ?? '')
}

export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}

/** `7 s`, `2 min 5 s`: for what is still counted. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  if (seconds < 60) return t.format.seconds(String(seconds))
  return t.format.minutes(String(Math.floor(seconds / 60)), String(seconds % 60))
}
