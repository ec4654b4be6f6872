/** How the processes of a call are kept in once it runs: not at all, able to write the workspace, or unable to write. */
export type Confinement = 'none' | 'workspace' | 'read-only'

/** A place that a call may use although it is not its own: to read it, to see what is in it, or to write it as well. */
export interface Grant {
  how: 'read' | 'list' | 'write'
  /** Real. A folder is meant with everything in it, but for secrets and for what rules forbid. */
  path: string
  /** Of a list: everything below it is listed, not only what is in it. */
  tree?: true
  /** Nothing runs there but programs that are known to only look: what is listed can be shown as it is. */
  proven?: true
}

/** Files that rules forbid, for whoever can keep them from programs whatever these do. */
export interface Forbidden {
  /** The rules, as they are written. */
  rules: readonly string[]
  /** Everything that is forbidden lies at or below one of these. */
  starts: readonly string[]
  matches(real: string): boolean
}

export interface Decision {
  decision: 'allow' | 'ask' | 'deny'
  /** A sentence for the person and the model. */
  reason: string
  /** The rule that decided, as it is written; null for a default. */
  rule: string | null
  /** No allow rule settles this ask (an ask rule, a protected place), and so no hook does. */
  firm?: true
  /** Rules that would stop the asking for calls like this, one per part of a command; absent when none would be safe. */
  remember?: readonly string[]
  /** The commands that were found in a shell call, for the card. */
  commands?: readonly { text: string; note?: string }[]
  /** Absent: `none`. */
  confinement?: Confinement
  /** What the call may use once allowed outside the workspace, and of the secrets and guarded places in it. */
  grants?: readonly Grant[]
  /** What the processes of the call must not read, and what they must not change, by deny rules. */
  forbidden?: { read?: Forbidden; write?: Forbidden }
  /** Files that the call does not show although it may search a folder above them: secrets, and what rules forbid. */
  hides?(real: string): boolean
}

export type Mode = 'default' | 'accept-edits' | 'plan' | 'bypass'

export const modes: readonly Mode[] = ['default', 'accept-edits', 'plan', 'bypass']

export type Effect = 'allow' | 'ask' | 'deny'

/**
 * What a call is about to touch, as its tool says it (`touches`). Rules and defaults are applied to these, so the
 * resolver knows no tool by name: `Read(…)` rules meet every `read`, `Edit(…)` rules every `write`, `Bash(…)` rules
 * every `command`, `WebFetch(domain:…)` rules every `url`, `Task(…)` rules every `agent`, `Skill(…)` rules every `skill`.
 */
export type Access =
  /** A file or folder, absolute or from the agent's working directory, as spelled by the model. */
  | { kind: 'read' | 'write'; path: string }
  | CommandAccess
  /** Code for an interpreter: it can do whatever its confinement lets it do. */
  | { kind: 'code' }
  | { kind: 'url'; url: string }
  | { kind: 'agent' | 'skill'; name: string }

/** A command for bash. */
export interface CommandAccess {
  kind: 'command'
  command: string
  /** Where it runs, when that is not the agent's working directory. */
  cwd?: string
  /** It wants to run without the sandbox. */
  outside?: boolean
  /** It has to change files, says the model. */
  writes?: boolean
  /** It has a terminal that can be typed into. */
  terminal?: boolean
  /** It is typed into a program that runs already, which need not be a shell. */
  typed?: boolean
}
