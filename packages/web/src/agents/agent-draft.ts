import type { ErrorInfo, ParamValues } from '@troupe/protocol'
import { useState } from 'react'
import type { AgentDefinitionBody, AgentInfo } from '../api/session-types.ts'
import { tabStorage } from '../platform/storage.ts'
import { t } from '../texts/t.ts'

/** Form state of an agent. All fields are text or choices, except the model parameters. */
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

export function missingFields(draft: AgentDraft): Partial<Record<AgentField, string>> {
  return {
    ...(draft.name.trim() === '' && { name: t.agents.missing.name }),
    ...(draft.systemPrompt.trim() === '' && { systemPrompt: t.agents.missing.prompt }),
    ...(draft.delegates === 'some' && draft.allowed.length === 0 && { allowed: t.agents.missing.delegates }),
  }
}

/** Maps a server error to the form field it concerns, or to `form`. */
export function fieldErrors(error: ErrorInfo): Partial<Record<AgentField | 'form', string>> {
  const issues: unknown = error.data?.['issues']
  const found: Partial<Record<AgentField | 'form', string>> = {}
  for (const issue of Array.isArray(issues) ? issues.map(String) : []) {
    const [, path = '', text = issue] = /^([\w.]+): (.*)$/s.exec(issue) ?? []
    found[fields[path.split('.', 1)[0] ?? ''] ?? 'form'] ??= text
  }
  if (Object.keys(found).length > 0) return found
  return { [fields[String(error.data?.['field'])] ?? 'form']: error.message }
}

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

interface StoredDraft {
  draft: AgentDraft
  setDraft: (draft: AgentDraft) => void
  /** True if this draft was restored from an earlier, unsaved edit. */
  isBack: boolean
  forget: () => void
}

/** Keeps the draft after the dialog closes, so that a click outside does not lose it. */
export function useStoredDraft(name: string, initial: AgentDraft): StoredDraft {
  const key = `troupe.agent.${name}`
  const [kept] = useState(() => readStoredDraft(key, initial))
  const [draft, setDraft] = useState(kept ?? initial)
  return {
    draft,
    setDraft: (next) => {
      tabStorage.set(key, JSON.stringify(next))
      setDraft(next)
    },
    isBack: kept !== undefined,
    forget: () => tabStorage.set(key, null),
  }
}

/** Fields missing from an older stored draft fall back to `initial`. */
function readStoredDraft(key: string, initial: AgentDraft): AgentDraft | undefined {
  const kept = tabStorage.get(key)
  return kept === null ? undefined : { ...initial, ...(JSON.parse(kept) as Partial<AgentDraft>) }
}
