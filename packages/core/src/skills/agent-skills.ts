import type { AgentState } from '../agent-state.ts'
import { realPath } from '../files/resolve-path.ts'
import { dataParts, type DataParts } from '../protocol/data-parts.ts'
import type { Part, StoredMessage } from '../protocol/message.ts'
import type { Skill } from './skill.ts'

/** The skills of an agent in the turn that it is at work on. */
export interface AgentSkills {
  /** Those that can be loaded, as they are on the disk now. */
  list(): readonly Skill[]
  /** What runs unasked by the skills that the person put into the message: a list of rules for each that has one. */
  limits: readonly (readonly string[])[]
  /** The same by the skills that the model has loaded in a run; see `limitsOfRun`. */
  loaded?: { runId: string; limits: readonly (readonly string[])[] }
}

/**
 * Gives an agent its skills for a turn. The folders of those that were loaded earlier in the conversation can be read,
 * as long as they still are skills.
 */
export function openAgentSkills(
  state: AgentState,
  history: readonly Pick<StoredMessage, 'role' | 'parts'>[],
  list: () => readonly Skill[],
): void {
  const question = history.findLast(({ role }) => role === 'user')?.parts ?? []
  state.skills = { list, limits: limitsIn(question) }
  openFolders(
    state,
    history.flatMap(({ parts }) => parts),
  )
}

/** What a message in the middle of a turn brought in holds from then on. */
export function joinSkills(state: AgentState, parts: readonly Part[], unasked: readonly string[][] = []): void {
  if (state.skills === undefined && unasked.length === 0) return
  state.skills ??= { list: () => [], limits: [] }
  state.skills.limits = [...state.skills.limits, ...limitsIn(parts), ...unasked]
  openFolders(state, parts)
}

function limitsIn(parts: readonly Part[]): string[][] {
  return parts.flatMap((part) => {
    const { allowedTools } = skillIn(part) ?? commandIn(part) ?? {}
    return allowedTools === undefined ? [] : [allowedTools]
  })
}

function openFolders(state: AgentState, parts: readonly Part[]): void {
  const loaded = new Set(parts.flatMap(loadedPath))
  if (loaded.size === 0) return
  for (const skill of state.skills?.list() ?? []) if (loaded.has(skill.path)) openFolder(state, skill)
}

/** What a loaded skill refers to can be read from then on. */
export function openFolder({ readable }: AgentState, { folder }: Pick<Skill, 'folder'>): void {
  const real = realPath(folder).path
  if (!readable.includes(real)) readable.push(real)
}

/** The skill that a part of a message carries. */
export function skillIn(part: Part): DataParts['skill'] | undefined {
  return part.type === 'data-skill' ? dataParts.skill.schema.safeParse(part.data).data : undefined
}

function commandIn(part: Part): DataParts['command'] | undefined {
  return part.type === 'data-command' ? dataParts.command.schema.safeParse(part.data).data : undefined
}

function loadedPath(part: Part): string[] {
  const skill = skillIn(part)
  if (skill !== undefined) return [skill.path]
  if (part.type !== 'tool-Skill' || !('state' in part) || part.state !== 'output-available') return []
  const { path } = (part.output ?? {}) as { path?: unknown }
  return typeof path === 'string' ? [path] : []
}
