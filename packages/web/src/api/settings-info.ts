/** A skill as `GET /ai/skills` lists it. */
export interface SkillInfo {
  name: string
  description: string
  /** Its `SKILL.md`. */
  path: string
  scope: 'home' | 'workspace' | 'project'
  allowedTools?: string[]
  personOnly?: true
  /** Those of its name that it stands before. */
  shadows: string[]
}

export interface SkillList {
  skills: SkillInfo[]
  problems: { path: string; line?: number; message: string }[]
}

/** Skills that were unpacked to be looked at. */
export interface StagedSkills {
  id: string
  skills: {
    name: string
    description: string
    allowedTools?: string[]
    files: { name: string; size: number; executable: boolean }[]
  }[]
  problems: { path: string; message: string }[]
}

export interface HookInfo {
  event: 'before-call' | 'after-call' | 'ask' | 'run-end'
  source: string
  scope: 'home' | 'project'
  match?: string[]
  command?: string
  timeoutMs: number
}

export interface HookList {
  hooks: HookInfo[]
  problems: { path: string; message: string }[]
}

export interface DataInfo {
  home: string
  places: {
    name: 'database' | 'sessions' | 'blobs' | 'backups' | 'other'
    path: string
    files: number
    bytes: number
  }[]
  backups: { path: string; createdAt: number }[]
  free: number
}

export interface Finding {
  status: 'ok' | 'info' | 'warn' | 'fail'
  name: string
  text: string
  fix?: string
}
