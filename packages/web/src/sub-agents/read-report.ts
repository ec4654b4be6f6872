import type { AgentStatus } from '@troupe/core'
import { isRecord, numberIn, textIn } from '../displays/parts/read-fields.ts'

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
