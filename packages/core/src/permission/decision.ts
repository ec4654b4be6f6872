/** How the processes of a call are kept in once it runs: not at all, able to write the workspace, or unable to write. */
export type Confinement = 'none' | 'workspace' | 'read-only'

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
  /** Real paths outside the workspace, and of secrets and guarded places in it, that the call may touch once allowed. */
  outside?: readonly string[]
  /** Files that the call does not show although it may search a folder above them: secrets, and what rules forbid. */
  hides?(real: string): boolean
}
