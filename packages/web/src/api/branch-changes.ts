/** What a branch did to files: `GET /ai/sessions/:id/changes`. */
export interface BranchChanges {
  /** Each once, those that sub-agents and commands touched included. */
  files: string[]
  /** How many commands may have touched files that nobody knows of. */
  commands: number
}
