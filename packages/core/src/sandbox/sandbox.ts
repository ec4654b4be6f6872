import type { Sandbox } from '../agent-state.ts'

/** What a look at this machine found. */
export interface SandboxFinding {
  /** Undefined where commands cannot be confined. */
  sandbox?: Sandbox
  /** A sentence for the person: what confines commands, or why nothing does. */
  text: string
  /** What the person can do about it. */
  fix?: string
}
