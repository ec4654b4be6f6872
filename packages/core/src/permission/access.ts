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
