import path from 'node:path'
import {
  agentKey,
  agentNamePattern,
  arrangeAgents,
  getBuiltinAgents,
  loadAgents,
  NamedError,
  paramValuesSchema,
  promptIn,
  promptNote,
  unknownTools,
  type AgentDefinition,
  type AgentEntry,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import { z } from 'zod'
import type { Problem } from './open-tools.ts'

/** The agents of each workspace: built-in, from the database, from the home, from a trusted project; in this order. */
export interface AgentBook {
  list(workspace: Workspace): Promise<AgentEntry[]>
  problems(workspace: Workspace): Problem[]
  /** Whom agents may delegate to, with their prompts in this language. */
  offered(workspace: Workspace, options: { language?: string; page?: string }): Promise<AgentDefinition[]>
  /** The agent that a session talks to. Throws `AgentNotFound` (404) with the names that exist. */
  find(workspace: Workspace, name: string, language?: string): Promise<AgentDefinition>
  /** Throws what is wrong with it (409, 422); nothing is saved then. */
  save(workspace: Workspace, name: string, data: StoredDefinition): Promise<AgentEntry>
  remove(workspace: Workspace, name: string): Promise<boolean>
}

const names = z.array(z.string().min(1).max(200)).max(200)

/** A definition as the database has it: it selects tools, it brings none. */
export const storedDefinitionSchema = z.strictObject({
  enabled: z.boolean().default(true),
  description: z.string().max(1024).default(''),
  systemPrompt: z.string().min(1).max(64_000, 'at most 64,000 characters'),
  toolKeys: names.default([]),
  allowedSubAgents: names.nullable().optional(),
  maxDepth: z.int().positive().max(20).nullable().optional(),
  maxSteps: z.int().positive().max(1000).nullable().optional(),
  model: z.string().min(1).max(300).nullable().optional(),
  params: paramValuesSchema.nullable().optional(),
  pageIds: names.nullable().optional(),
})
export type StoredDefinition = z.infer<typeof storedDefinitionSchema>

export function createAgentBook(options: {
  home: string
  store: Pick<Store, 'definitions'>
  tools(workspaceId: string): readonly Tool[]
}): AgentBook {
  const { store } = options
  const book: AgentBook = {
    async list(workspace) {
      const stored = await store.definitions.list(workspace.id)
      const { home, project } = files(workspace)
      return arrangeAgents(
        [getBuiltinAgents(), stored.map(({ name, data }) => entryOf(name, data)), home.entries, project.entries],
        options.tools(workspace.id),
      )
    },
    problems(workspace) {
      const { home, project } = files(workspace)
      return [...home.problems, ...project.problems]
    },
    async offered(workspace, { language, page }) {
      const entries = await book.list(workspace)
      return entries
        .filter(({ name, enabled, pageIds }) => enabled && name !== 'master' && (pageIds?.includes(page ?? '') ?? true))
        .map((entry) => ({ ...entry, prompt: promptIn(entry, language) }))
    },
    async find(workspace, name, language) {
      const entries = await book.list(workspace)
      const entry = entries.find((known) => known.enabled && agentKey(known.name) === agentKey(name))
      if (entry !== undefined) return { ...entry, prompt: promptIn(entry, language) }
      const known = entries.filter(({ enabled }) => enabled).map((one) => one.name)
      throw new NamedError('AgentNotFound', `There is no agent "${name}". There are: ${known.join(', ')}.`, {
        status: 404,
        data: { names: known },
      })
    },
    async save(workspace, name, data) {
      if (!agentNamePattern.test(name))
        throw invalid(
          'name',
          `"${name.slice(0, 80)}" is not an agent's name: letters, digits, "-" and "_", at most 64.`,
        )
      if (getBuiltinAgents().some((known) => agentKey(known.name) === agentKey(name)))
        throw new NamedError('AgentExists', `"${name}" is the name of a built-in agent. Choose another.`, {
          status: 409,
          data: { field: 'name' },
        })
      const unknown = unknownTools(data.toolKeys, options.tools(workspace.id))
      if (unknown.length > 0)
        throw invalid(
          'toolKeys',
          `There is no tool or group: ${unknown.join(', ')}. GET /ai/tools lists those that exist.`,
        )
      const others = await store.definitions.list(workspace.id)
      const same = others.find((other) => other.name !== name && agentKey(other.name) === agentKey(name))
      if (same !== undefined)
        throw new NamedError('AgentExists', `"${name}" cannot be told from the agent "${same.name}".`, {
          status: 409,
          data: { field: 'name' },
        })
      await store.definitions.put({ workspaceId: workspace.id, name, data: { ...data } })
      const note = promptNote(data.systemPrompt)
      return { ...entryOf(name, { ...data }), ...(note !== undefined && { note }) }
    },
    remove: (workspace, name) => store.definitions.remove(workspace.id, name),
  }
  return book

  function files(workspace: Workspace): Record<'home' | 'project', ReturnType<typeof loadAgents>> {
    return {
      home: loadAgents(path.join(options.home, 'agents'), 'home'),
      project: workspace.trusted
        ? loadAgents(path.join(workspace.path, '.troupe', 'agents'), 'project')
        : { entries: [], problems: [] },
    }
  }
}

function entryOf(name: string, data: Record<string, unknown>): AgentEntry {
  const parsed = storedDefinitionSchema.safeParse(data)
  if (!parsed.success) {
    const note = `What is stored of it cannot be read: ${parsed.error.issues[0]?.message ?? ''}.`
    return { name, description: '', prompt: '', tools: [], source: 'database', enabled: false, note }
  }
  const { enabled, description, systemPrompt, toolKeys, allowedSubAgents, maxDepth, maxSteps, model, params, pageIds } =
    parsed.data
  return {
    name,
    description,
    prompt: systemPrompt,
    tools: toolKeys,
    source: 'database',
    enabled,
    ...(allowedSubAgents != null && { allowedSubAgents }),
    ...(maxDepth != null && { maxDepth }),
    ...(maxSteps != null && { maxSteps }),
    ...(model != null && { model }),
    ...(params != null && { params }),
    ...(pageIds != null && { pageIds }),
  }
}

/** `field`: what of the definition is meant. */
function invalid(field: keyof StoredDefinition | 'name', message: string): NamedError {
  return new NamedError('InvalidAgent', message, { status: 422, data: { field } })
}
