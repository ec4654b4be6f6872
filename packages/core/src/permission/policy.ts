import type { Mode } from './decision.ts'
import type { RuleSet } from './rule-set.ts'

/** What decides besides the call itself. Handed in by whoever starts runs; read anew for every call. */
export interface Policy {
  mode: Mode
  rules: RuleSet
  /** Commands can be run in a sandbox here. */
  sandbox: boolean
  /** The person's home folder, for `~/` in rules and for what is secret there. */
  home: string
  /** Our own home folder: nothing in it is read or changed unasked, but for `readable` of the agent's state. */
  troupeHome?: string
  /** The one file that may be written in plan mode. */
  planFile?: string
  /** Addresses that the person typed in this conversation (`addressesIn`): exactly these are fetched unasked. */
  addresses?: readonly string[]
}
