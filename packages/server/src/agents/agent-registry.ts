import path from 'node:path'
import {
  type AgentDefinition,
  type AgentEntry,
  agentKey,
  agentNamePattern,
  arrangeAgents,
  type Budget,
  getBuiltinAgents,
  loadAgents,
  promptIn,
  promptNote,
  type Store,
  type Tool,
  unknownTools,
  type Workspace,
} from '@troupe/core'
import { type AgentPatch, NamedError, type StoredDefinition, storedDefinitionSchema } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import type { LoadProblem } from '../extensions/workspace-extensions.ts'
import { isOnPage } from '../runs/system-prompt.ts'
import { readResponding } from '../workspaces/folder-states.ts'
import { scopeOf } from '../workspaces/open-workspaces.ts'

export interface ListedAgent extends AgentEntry {
  turnedOff?: true
}

/**
 * The agents of each workspace, in order: database, built-in, home, trusted project. A database entry with a built-in
 * name is the user's modified version, made with `change`.
 */
export interface AgentRegistry {
  list(workspace: Workspace): Promise<ListedAgent[]>
  problems(workspace: Workspace): LoadProblem[]
  /**
   * Returns the agents that can be delegated to, including hidden ones, with prompts in this language. Agents bound to
   * pages need one of their pages open, unless `anyPage` is set.
   */
  offered(
    workspace: Workspace,
    options: { language?: string; page?: string; anyPage?: true },
  ): Promise<AgentDefinition[]>
  /** Returns the reason an agent cannot be delegated to, or undefined if there is none. */
  whyNot(workspace: Workspace, name: string): Promise<string | undefined>
  /** Returns the agent that a session talks to. Throws `AgentNotFound` (404) with the available names. */
  find(workspace: Workspace, name: string, language?: string): Promise<AgentDefinition>
  /** Throws if the definition is invalid (409, 422), and saves nothing. */
  add(workspace: Workspace, name: string, data: StoredDefinition): Promise<AgentEntry>
  /**
   * Never modifies built-in or file agents. A change stores a workspace version that overrides them, and disabling is
   * kept in the settings. Throws `AgentNotFound` (404) and the errors of `add`.
   */
  change(workspace: Workspace, name: string, patch: AgentPatch): Promise<ListedAgent>
  remove(workspace: Workspace, name: string): Promise<boolean>
  /** Sets the user's own prompt of the master agent. Undefined restores the built-in one. */
  setMasterPrompt(prompt: string | undefined): void
}

export function createAgentRegistry(options: {
  home: string
  /** Folder with the user's Claude Code files. */
  personHome: string
  store: Pick<Store, 'definitions'>
  config: Pick<ConfigFile, 'get' | 'update'>
  tools: { enabled(workspaceId: string): readonly Tool[] }
  /** Explains what to do about a group without tools. */
  why?(group: string): string | undefined
  /** False for a folder that hangs. Its agents are those that were read last. */
  responds?(folder: string): boolean
}): AgentRegistry {
  const { store, config, responds = () => true } = options
  const lastRead = new Map<string, ReturnType<typeof loadAgents>>()
  let masterPrompt: string | undefined
  let builtInMaster: AgentEntry | undefined
  const registry: AgentRegistry = {
    list: (workspace) => arranged(workspace, () => true),
    problems(workspace) {
      const { home, project } = files(workspace)
      const entries = [...home.entries, ...project.entries]
      return [
        ...home.problems,
        ...project.problems,
        ...masterProblems(entries),
        ...foreignProblems(entries, options.tools.enabled(workspace.id)),
      ]
    },
    async offered(workspace, { language, page, anyPage }) {
      const entries = await registry.list(workspace)
      return entries
        .filter(({ name, enabled }) => enabled && name !== 'master')
        .filter((entry) => anyPage === true || isOnPage(entry, page))
        .map((entry) => ({ ...entry, prompt: promptIn(entry, language) }))
    },
    async whyNot(workspace, name) {
      const entry = (await registry.list(workspace)).find((known) => agentKey(known.name) === agentKey(name))
      if (entry === undefined) return undefined
      if (!entry.enabled) return `The agent "${entry.name}" is off. ${entry.note ?? 'The user turned it off.'}`
      if (entry.name === 'master') return 'You cannot delegate to the master agent: it is the one the user talks to.'
      const { pageIds } = entry
      return pageIds && `The agent "${entry.name}" only works while one of these pages is open: ${pageIds.join(', ')}.`
    },
    async find(workspace, name, language) {
      const entry = name === 'master' ? master() : await findEnabled(workspace, name)
      if (entry !== undefined) return language === undefined ? entry : { ...entry, prompt: promptIn(entry, language) }
      const known = (await registry.list(workspace))
        .filter(({ enabled, hidden }) => enabled && hidden !== true)
        .map((one) => one.name)
      const why = (await registry.whyNot(workspace, name)) ?? `There is no agent "${name}".`
      throw new NamedError('AgentNotFound', `${why} Available agents: ${known.join(', ')}.`, {
        status: 404,
        data: { names: known },
      })
    },
    async add(workspace, name, data) {
      if (!agentNamePattern.test(name))
        throw invalid(
          'name',
          `"${name.slice(0, 80)}" is not a valid agent name. Use up to 64 letters, digits, "-" and "_".`,
        )
      if (getBuiltinAgents().some((known) => agentKey(known.name) === agentKey(name)))
        throw new NamedError('AgentExists', `"${name}" is the name of a built-in agent. Choose another name.`, {
          status: 409,
          data: { field: 'name' },
        })
      const others = await store.definitions.list(workspace.id)
      const same = others.find((other) => agentKey(other.name) === agentKey(name))
      if (same !== undefined) {
        const text =
          same.name === name
            ? `An agent named "${name}" already exists.`
            : `"${name}" is too similar to the agent "${same.name}".`
        throw new NamedError('AgentExists', text, { status: 409, data: { field: 'name' } })
      }
      return save(workspace, name, data)
    },
    async change(workspace, name, patch) {
      const stored = await store.definitions.get(workspace.id, name)
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
      if (stored !== undefined) return save(workspace, name, storedDefinitionSchema.parse({ ...stored, ...given }))
      const entry = (await registry.list(workspace)).find((known) => agentKey(known.name) === agentKey(name))
      if (entry === undefined || entry.source === 'database') throw notFound(name)
      if (entry.name === 'master')
        throw invalid(
          'name',
          'The master agent cannot be changed here. Edit its prompt in Settings > Instructions, or make a copy and use that one.',
        )
      const { enabled, ...rest } = given
      if (Object.keys(rest).length > 0)
        return save(workspace, entry.name, storedDefinitionSchema.parse({ ...toStoredDefinition(entry), ...given }))
      if (typeof enabled === 'boolean') await turn(entry.name, enabled)
      return (await registry.list(workspace)).find(({ name: known }) => known === entry.name) as ListedAgent
    },
    remove: (workspace, name) => store.definitions.remove(workspace.id, name),
    setMasterPrompt(prompt) {
      masterPrompt = prompt
    },
  }
  return registry

  /** Most chats talk to it. Nothing can override it, so no folder is read. */
  function master(): AgentEntry {
    builtInMaster ??= getBuiltinAgents().find(({ name }) => name === 'master') as AgentEntry
    return withMasterPrompt(builtInMaster)
  }

  function withMasterPrompt(entry: AgentEntry): AgentEntry {
    if (masterPrompt === undefined) return entry
    return { ...entry, prompt: masterPrompt, prompts: undefined, note: promptNote(masterPrompt) }
  }

  async function findEnabled(workspace: Workspace, name: string): Promise<ListedAgent | undefined> {
    const named = await arranged(workspace, (entry) => agentKey(entry.name) === agentKey(name))
    return named.find(({ enabled }) => enabled)
  }

  /** Agents with different names do not affect each other, so a turn arranges only those with the name of its agent. */
  async function arranged(
    workspace: Workspace,
    isWanted: (entry: { name: string }) => boolean,
  ): Promise<ListedAgent[]> {
    const stored = (await store.definitions.list(workspace.id)).filter(isWanted)
    const { home, project } = files(workspace)
    const lists = [getBuiltinAgents(), home.entries, project.entries].map((entries) => entries.filter(isWanted))
    const own = stored.map(({ name, data }) => toEntry(name, data))
    const off = new Set((config.get().disabledAgents ?? []).map(agentKey))
    return arrangeAgents([own, ...lists], options.tools.enabled(scopeOf(workspace)), options.why).map((entry) => {
      if (entry.name === 'master' && entry.source === 'built-in') return withMasterPrompt(entry)
      return entry.enabled && entry.source !== 'database' && entry.name !== 'master' && off.has(agentKey(entry.name))
        ? { ...entry, enabled: false, turnedOff: true, note: 'Turned off in the settings.' }
        : entry
    })
  }

  async function save(workspace: Workspace, name: string, data: StoredDefinition): Promise<AgentEntry> {
    const unknown = unknownTools(data.toolKeys, options.tools.enabled(workspace.id))
    if (unknown.length > 0)
      throw invalid(
        'toolKeys',
        `Unknown tools or groups: ${unknown.join(', ')}. GET /ai/tools lists the available ones.`,
      )
    await store.definitions.put({ workspaceId: workspace.id, name, data: { ...data } })
    const note = promptNote(data.systemPrompt)
    return { ...toEntry(name, { ...data }), note }
  }

  function turn(name: string, on: boolean): Promise<void> {
    return config.update((current) => {
      const others = (current.disabledAgents ?? []).filter((one) => agentKey(one) !== agentKey(name))
      const { disabledAgents: _, ...rest } = current
      const off = on ? others : [...others, name]
      return off.length === 0 ? rest : { ...rest, disabledAgents: off }
    })
  }

  function files(workspace: Workspace): Record<'home' | 'project', ReturnType<typeof loadAgents>> {
    return {
      home: joinLoaded(
        loadAgents(path.join(options.home, 'agents'), 'home'),
        loadAgents(path.join(options.personHome, '.claude', 'agents'), 'home', 'claude'),
      ),
      project: workspace.trusted
        ? // The innermost project comes first, and the first agent of a name is used.
          joinLoaded(...[workspace, ...(workspace.projects ?? [])].toReversed().map((folder) => agentsIn(folder.path)))
        : { entries: [], problems: [] },
    }
  }

  function agentsIn(folder: string): ReturnType<typeof loadAgents> {
    const loaded = readResponding(
      () => responds(folder),
      () =>
        joinLoaded(
          loadAgents(path.join(folder, '.troupe', 'agents'), 'project'),
          loadAgents(path.join(folder, '.claude', 'agents'), 'project', 'claude'),
        ),
      () => lastRead.get(folder) ?? { entries: [], problems: [] },
    )
    if (lastRead.size >= maxRemembered) lastRead.clear()
    lastRead.set(folder, loaded)
    return loaded
  }
}

const maxRemembered = 200

function joinLoaded(...loaded: ReturnType<typeof loadAgents>[]): ReturnType<typeof loadAgents> {
  return { entries: loaded.flatMap(({ entries }) => entries), problems: loaded.flatMap(({ problems }) => problems) }
}

function foreignProblems(entries: readonly AgentEntry[], tools: readonly Tool[]): LoadProblem[] {
  return entries.flatMap(({ foreign, path: file = '', tools: names }) => {
    const unknown = foreign === true ? unknownTools(names, tools) : []
    return unknown.length === 0 ? [] : [{ path: file, message: `Unknown tools or groups: ${unknown.join(', ')}.` }]
  })
}

/** The master is the only built-in agent that cannot be overridden. */
function masterProblems(entries: readonly AgentEntry[]): LoadProblem[] {
  return entries
    .filter(({ name }) => agentKey(name) === 'master')
    .map(({ path: file = '' }) => ({
      path: file,
      message: 'The master agent cannot be changed, so this file has no effect. Rename it and use that agent.',
    }))
}

function toEntry(name: string, data: Record<string, unknown>): AgentEntry {
  const parsed = storedDefinitionSchema.safeParse(data)
  if (!parsed.success) {
    const note = `Its stored definition is invalid: ${parsed.error.issues[0]?.message ?? ''}.`
    return { name, description: '', prompt: '', tools: [], source: 'database', enabled: false, note }
  }
  const { enabled, description, systemPrompt, toolKeys, allowedSubAgents, ...limits } = parsed.data
  const { maxDepth, maxSteps, model, params, budget, pageIds } = limits
  return {
    name,
    description,
    prompt: systemPrompt,
    tools: toolKeys,
    source: 'database',
    enabled,
    allowedSubAgents: allowedSubAgents ?? undefined,
    maxDepth: maxDepth ?? undefined,
    maxSteps: maxSteps ?? undefined,
    model: model ?? undefined,
    params: params ?? undefined,
    budget: (budget ?? undefined) as Budget | undefined,
    pageIds: pageIds != null && pageIds.length > 0 ? pageIds : undefined,
  }
}

function toStoredDefinition({ prompt, tools, turnedOff, ...entry }: ListedAgent): Record<string, unknown> {
  const { description, allowedSubAgents, maxDepth, maxSteps, model, params, budget, pageIds } = entry
  const more = { allowedSubAgents, maxDepth, maxSteps, model, params, budget, pageIds }
  return { enabled: turnedOff !== true, description, systemPrompt: prompt, toolKeys: [...tools], ...more }
}

function notFound(name: string): NamedError {
  return new NamedError('AgentNotFound', `There is no agent "${name}".`, { status: 404 })
}

/** `field` names the invalid field of the definition. */
function invalid(field: keyof StoredDefinition | 'name', message: string): NamedError {
  return new NamedError('InvalidAgent', message, { status: 422, data: { field } })
}
