import type { Effect } from './decision.ts'
import { homedir } from 'node:os'
import { compileRules } from './compile-rules.ts'
import type { Policy } from './policy.ts'
import type { Layer, RuleLine } from './rule-set.ts'

export interface PolicyOptions extends Partial<Omit<Policy, 'rules'>> {
  /** Where the rules stand, and what `/` in them starts from. Default: rules of the person, from the home. */
  layer?: Layer
  base?: string
}

/** A policy of plain lists, for programs that keep no layers of rules. */
export function createPolicy(
  rules: Partial<Record<Effect, readonly string[]>> = {},
  { layer = 'user', base, ...given }: PolicyOptions = {},
): Policy {
  const home = given.home ?? homedir()
  const lines = (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    (rules[effect] ?? []).map((text): RuleLine => ({ text, effect, layer, base: base ?? home })),
  )
  return { mode: 'default', sandbox: false, ...given, home, rules: compileRules(lines) }
}
