/**
 * What a call is about to touch, as its tool says it (`touches`). Rules and defaults are applied to these, so the
 * resolver knows no tool by name: `Read(…)` rules meet every `read`, `Edit(…)` rules every `write`, `Bash(…)` rules
 * every `command`, `WebFetch(domain:…)` rules every `url`, `Task(…)` rules every `agent`.
 */
export type Access =
  /** A file or folder, absolute or from the agent's working directory, as spelled by the model. */
  | { kind: 'read' | 'write'; path: string }
  /** A command for bash. `outside`: it wants to run without the sandbox. `writes`: it has to change files, says the model. */
  | { kind: 'command'; command: string; outside?: boolean; writes?: boolean }
  | { kind: 'url'; url: string }
  | { kind: 'agent'; name: string }
