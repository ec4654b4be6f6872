import type { AgentState } from '../agent-state.ts'
import { realPath } from '../files/resolve-path.ts'
import { dataParts, type DataParts } from '../protocol/data-parts.ts'
import type { Part, StoredMessage } from '../protocol/message.ts'
import type { Skill } from './skill.ts'

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
  allowLoadedFolders(
    state,
    history.flatMap(({ parts }) => parts),
  )
}

/** What a message in the middle of a turn brought in holds from then on. */
export function joinSkills(state: AgentState, parts: readonly Part[], unasked: readonly string[][] = []): void {
  if (state.skills === undefined && unasked.length === 0) return
  state.skills ??= { list: () => [], limits: [] }
  state.skills.limits = [...state.skills.limits, ...limitsIn(parts), ...unasked]
  allowLoadedFolders(state, parts)
}

function limitsIn(parts: readonly Part[]): string[][] {
  return parts.flatMap((part) => {
    const { allowedTools } = skillIn(part) ?? commandIn(part) ?? {}
    return allowedTools === undefined ? [] : [allowedTools]
  })
}

function allowLoadedFolders(state: AgentState, parts: readonly Part[]): void {
  const loaded = new Set(parts.flatMap(loadedPath))
  if (loaded.size === 0) return
  for (const skill of state.skills?.list() ?? []) if (loaded.has(skill.path)) allowSkillFolder(state, skill)
}

/** What a loaded skill refers to can be read from then on. */
export function allowSkillFolder({ readable }: AgentState, { folder }: Pick<Skill, 'folder'>): void {
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
