import type { Answer, Ask } from '../asks.ts'
import type { RunInput } from '../run/run-input.ts'
import type { AgentOptions } from './agent-options.ts'

/** The rules that approvals of one agent left behind: for one session, or for all of them. */
export class RememberedRules {
  readonly #everywhere: string[] = []
  readonly #bySession = new Map<string, string[]>()

  add(session: string, { remember }: Ask, answer: Answer): void {
    if (answer.type !== 'approve' || answer.remember === undefined) return
    const rules = answer.remember === 'session' ? (this.#bySession.get(session) ?? []) : this.#everywhere
    rules.push(...(remember ?? []).filter((rule) => !rules.includes(rule)))
    if (answer.remember === 'session') this.#bySession.set(session, rules)
  }

  of(session: string): string[] {
    return [...this.#everywhere, ...(this.#bySession.get(session) ?? [])]
  }
}

/** The agent's own word on calls, or its `permissions` and what was remembered, by the rules of the workspace. */
export function createDecide(settings: AgentOptions, session: string): RunInput['decide'] {
  const { decide, permissions = {}, workspace = process.cwd(), remembered } = settings
  if (decide !== undefined) return decide
  return async (call, ctx) => {
    // Loaded when the first call is judged: most turns make none.
    const [{ createPolicy }, { decide: judge }] = await Promise.all([
      import('../permission/create-policy.ts'),
      import('../permission/decide.ts'),
    ])
    const allow = [...(permissions.allow ?? []), ...(remembered?.of(session) ?? [])]
    return judge(call, ctx, createPolicy({ ...permissions, allow }, { base: workspace }))
  }
}
