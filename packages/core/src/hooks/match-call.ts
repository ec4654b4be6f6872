import { callFacts } from '../permission/call-facts.ts'
import { createPolicy } from '../permission/create-policy.ts'
import { findRule } from '../permission/find-rule.ts'
import { parseRule } from '../permission/parse-rule.ts'
import type { Tool } from '../tool.ts'
import type { Hook } from './hook.ts'

export interface PermissionCall {
  tool: Tool
  input: unknown
}

/** Where path rules of a hook start from. */
export interface MatchPlace {
  /** The folder that `/` starts from: the workspace, or the person's home. */
  base: string
  /** The person's home folder, for `~/`. */
  home: string
}

/**
 * The part of a hook that says which calls it is about: those that any of the rules meets as a deny rule would, at
 * whatever depth of a command, or may meet. Absent or `*`: all. Rules that cannot be read fail the hook at every call.
 */
export function createMatcher(
  match: string | readonly string[] | undefined,
  place: MatchPlace,
): Pick<Hook, 'match' | 'meets'> {
  const rules = typeof match === 'string' ? [match] : (match ?? ['*'])
  if (rules.includes('*')) return {}
  const problem = rules.map(problemOf).find((one) => one !== undefined)
  if (problem !== undefined)
    return { match: rules, meets: () => Promise.reject(new Error(`its match cannot be read: ${problem}`)) }
  const policy = createPolicy({ deny: rules }, place)
  return {
    match: rules,
    meets(call, ctx) {
      const facts = callFacts(call, ctx, policy)
      return facts.unknown !== undefined || findRule(policy.rules.index.deny, facts) !== undefined
    },
  }
}

function problemOf(rule: string): string | undefined {
  try {
    parseRule(rule)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
