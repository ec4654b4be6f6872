/** Sandbox level of the processes a call starts: none, workspace writable, or no writes. */
export type Confinement = 'none' | 'workspace' | 'read-only'

/** Access that a call gets outside its own folders: read, list, or write (which includes read). */
export interface Grant {
  how: 'read' | 'list' | 'write'
  /** Real path. A folder covers everything below it except secrets and files denied by rules. */
  path: string
  /** For `list`: lists the whole tree, not only the direct entries. */
  tree?: true
  /** Only known read-only programs run, so the listing can be shown unfiltered. */
  proven?: true
}

/** Files denied by rules, for a sandbox that can enforce it on any program. */
export interface Forbidden {
  rules: readonly string[]
  /** Every forbidden file is at or below one of these paths. */
  starts: readonly string[]
  matches(real: string): boolean
}

export interface Decision {
  decision: 'allow' | 'ask' | 'deny'
  /** One sentence, shown to the person and the model. */
  reason: string
  /** Text of the rule that decided. Null for a default. */
  rule: string | null
  /** No allow rule and no hook can settle this ask (an ask rule or a protected path). */
  firm?: true
  /** Rules that would auto-approve similar calls, one per part of a command. Absent if none is safe. */
  remember?: readonly string[]
  commands?: readonly { text: string; note?: string }[]
  /** Defaults to `none`. */
  confinement?: Confinement
  /** Access outside the workspace, and to secrets and guarded paths inside it, once the call is allowed. */
  grants?: readonly Grant[]
  /** Files that deny rules keep the call's processes from reading or changing. */
  forbidden?: { read?: Forbidden; write?: Forbidden }
  /** Returns true for files that a search must skip: secrets and files denied by rules. */
  hides?(real: string): boolean
}

export type Mode = 'default' | 'accept-edits' | 'plan' | 'bypass'

export const modes: readonly Mode[] = ['default', 'accept-edits', 'plan', 'bypass']

export type Effect = 'allow' | 'ask' | 'deny'

/**
 * Resource that a call is about to touch, as reported by its tool (`touches`). Rules and defaults apply to these, so
 * the resolver knows no tool by name: `Read(…)` rules match every `read`, `Edit(…)` rules every `write`, `Bash(…)`
 * rules every `command`, `WebFetch(domain:…)` rules every `url`, `Task(…)` rules every `agent`, `Skill(…)` rules every
 * `skill`.
 */
export type Access =
  /** File or folder as the model wrote it, absolute or relative to the agent's working directory. */
  | { kind: 'read' | 'write'; path: string }
  | CommandAccess
  /** Code for an interpreter. It can do anything its confinement allows. */
  | { kind: 'code' }
  | { kind: 'url'; url: string }
  | { kind: 'agent' | 'skill'; name: string }

export interface CommandAccess {
  kind: 'command'
  command: string
  /** Defaults to the agent's working directory. */
  cwd?: string
  /** Requests to run without the sandbox. */
  outside?: boolean
  /** The model says the command must change files. */
  writes?: boolean
  terminal?: boolean
  /** Typed into a running program, which may not be a shell. */
  typed?: boolean
}
