import type { ErrorInfo, ParamValues } from '@troupe/core/protocol'
import type { AgentDefinitionBody, AgentInfo } from '../api/agent-info.ts'
import { t } from '../texts/t.ts'

/** An agent as its form has it: everything but the settings of its model is text or a choice. */
export interface AgentDraft {
  name: string
  description: string
  systemPrompt: string
  tools: string[]
  delegates: 'default' | 'nobody' | 'some'
  allowed: string[]
  model: string
  maxDepth: string
  maxSteps: string
  params: ParamValues
}

export type AgentField = keyof AgentDraft

export const emptyDraft: AgentDraft = {
  name: '',
  description: '',
  systemPrompt: '',
  tools: [],
  delegates: 'nobody',
  allowed: [],
  model: '',
  maxDepth: '',
  maxSteps: '',
  params: {},
}

export function draftFromAgent(agent: AgentInfo): AgentDraft {
  const { name, description, systemPrompt, tools, allowedSubAgents, model, maxDepth, maxSteps, params } = agent
  return {
    name,
    description,
    systemPrompt,
    tools: [...tools],
    delegates: allowedSubAgents === undefined ? 'default' : allowedSubAgents.length === 0 ? 'nobody' : 'some',
    allowed: [...(allowedSubAgents ?? [])],
    model: model ?? '',
    maxDepth: maxDepth === undefined ? '' : String(maxDepth),
    maxSteps: maxSteps === undefined ? '' : String(maxSteps),
    params: params ?? {},
  }
}

/** A new one that begins as another. */
export function draftFromCopy(agent: AgentInfo): AgentDraft {
  return { ...draftFromAgent(agent), name: `${agent.name}-copy` }
}

export function definitionFromDraft(draft: AgentDraft): Omit<AgentDefinitionBody, 'enabled'> {
  return {
    description: draft.description.trim(),
    systemPrompt: draft.systemPrompt.trim(),
    toolKeys: draft.tools,
    allowedSubAgents: draft.delegates === 'default' ? null : draft.delegates === 'nobody' ? [] : draft.allowed,
    model: draft.model === '' ? null : draft.model,
    maxDepth: parseNumber(draft.maxDepth),
    maxSteps: parseNumber(draft.maxSteps),
    params: Object.keys(draft.params).length === 0 ? null : draft.params,
  }
}

function parseNumber(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

/** What is missing before it can be sent, by field. */
export function missingFields(draft: AgentDraft): Partial<Record<AgentField, string>> {
  return {
    ...(draft.name.trim() === '' && { name: t.agents.missing.name }),
    ...(draft.systemPrompt.trim() === '' && { systemPrompt: t.agents.missing.prompt }),
    ...(draft.delegates === 'some' && draft.allowed.length === 0 && { allowed: t.agents.missing.delegates }),
  }
}

/** What the server did not take, at the field that it is about; the rest of it at `form`. */
export function fieldErrors(error: ErrorInfo): Partial<Record<AgentField | 'form', string>> {
  const issues: unknown = error.data?.['issues']
  const found: Partial<Record<AgentField | 'form', string>> = {}
  for (const issue of Array.isArray(issues) ? issues.map(String) : []) {
    const [, path = '', text = issue] = /^([\w.]+): (.*)$/s.exec(issue) ?? []
    found[fields[path.split('.', 1)[0] ?? ''] ?? 'form'] ??= text
  }
  if (Object.keys(found).length > 0) return found
  if (error.name === 'AgentExists' || error.message.includes("agent's name")) return { name: error.message }
  // Words of the server, not shown from here.
  if (error.message.includes('no tool or group')) return { tools: error.message }
  return { form: error.message }
}

/** The names that the server has for the fields. */
const fields: Readonly<Record<string, AgentField>> = {
  name: 'name',
  description: 'description',
  systemPrompt: 'systemPrompt',
  toolKeys: 'tools',
  allowedSubAgents: 'allowed',
  model: 'model',
  maxDepth: 'maxDepth',
  maxSteps: 'maxSteps',
  params: 'params',
}
