import { findSkill, readSkillBody, skillIn, skillNames, type Part, type Skill, type StoredMessage } from '@troupe/core'

/** The parts that skills named in a text become, in order, and a word on those that are not there. */
export function loadMentionedSkills(
  text: string,
  skills: readonly Skill[],
  chain: readonly StoredMessage[],
): { parts: Part[]; hints: string[] } {
  const names = skillNames(text)
  if (names.length === 0) return { parts: [], hints: [] }
  const told = skillsInContext(chain)
  const parts = new Map<string, Part>()
  const hints: string[] = []
  for (const name of names) {
    const skill = findSkill(name, skills)
    if (skill === undefined) {
      hints.push(`There is no skill "${name}".`)
      continue
    }
    try {
      const { path, scope, allowedTools } = skill
      const content = told.has(path) ? '' : readSkillBody(skill)
      const data = { name: skill.name, path, scope, content, ...(allowedTools !== undefined && { allowedTools }) }
      if (!parts.has(path)) parts.set(path, { type: 'data-skill', data })
    } catch (error) {
      hints.push(`The skill "${name}" was not loaded: ${(error as Error).message}`)
    }
  }
  return { parts: [...parts.values()], hints }
}

/** Skills whose text a model is still told: what a summary has taken the place of is loaded anew. */
function skillsInContext(chain: readonly StoredMessage[]): Set<string> {
  const upTo = chain
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'data-compaction' ? [part.data as { upTo?: { messageId?: string } }] : []))
    .map((data) => chain.findIndex(({ id }) => id === data.upTo?.messageId))
  const told = chain.slice(Math.max(-1, ...upTo) + 1).flatMap(({ parts }) => parts.map(skillIn))
  return new Set(told.flatMap((skill) => (skill === undefined || skill.content === '' ? [] : [skill.path])))
}
