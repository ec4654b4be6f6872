/** Where a skill lies, the farthest first: the nearer overrides the farther. */
export const skillScopes = ['home', 'workspace', 'project'] as const
export type SkillScope = (typeof skillScopes)[number]

/** Instructions for a kind of task, as a folder with a `SKILL.md` in it. Its text is read only on use. */
export interface Skill {
  /** That of its folder. */
  name: string
  description: string
  /** Its `SKILL.md`. */
  path: string
  folder: string
  scope: SkillScope
  license?: string
  compatibility?: string
  metadata?: Record<string, string>
  /** While it is in force nothing but these runs unasked, where it did before; see `narrowCall`. */
  allowedTools?: readonly string[]
  /** Only a person loads it. */
  personOnly?: true
}

export interface SkillProblem {
  path: string
  line?: number
  message: string
}

/** What stands in a `SKILL.md` besides where it lies. */
export type SkillHead = Omit<Skill, 'path' | 'folder' | 'scope'>

/** The skills of an agent in the turn that it is at work on. */
export interface AgentSkills {
  /** Those that can be loaded, as they are on the disk now. */
  list(): readonly Skill[]
  /** What runs unasked by the skills that the person put into the message: a list of rules for each that has one. */
  limits: readonly (readonly string[])[]
  /** The same by the skills that the model has loaded in a run; see `limitsOfRun`. */
  loaded?: { runId: string; limits: readonly (readonly string[])[] }
}
