import { z } from 'zod'
import type { Decision } from '../access/decision.ts'
import { decide } from '../permission/decide.ts'
import { compileRules, type Policy, type RuleSet } from '../permission/policy.ts'
import type { ToolContext } from '../tool/tool.ts'
import type { RunInput } from './run-input.ts'

type Call = Parameters<RunInput['decide']>[0]

/**
 * A skill with `allowed-tools` narrows what runs unasked in the turn that it is loaded in, and never widens it: a call
 * that would run unasked still does so only where it would with the skill's list as the only rules, in the default mode
 * and without a sandbox. So reading in the workspace goes on, what the list names goes on, and all else asks. Several
 * skills: each must let it pass. Agents that are started meanwhile are narrowed in the same way.
 */
export async function narrowCall(
  decision: Decision,
  call: Call,
  ctx: ToolContext,
  policy: () => Policy,
): Promise<Decision> {
  if (decision.decision !== 'allow') return decision
  for (const limit of activeSkillLimits(ctx)) {
    const { mode, home, troupeHome, planFile } = policy()
    const narrow: Policy = {
      mode: mode === 'plan' ? 'plan' : 'default',
      rules: compileLimit(limit, ctx.workspace.path),
      sandbox: false,
      home,
      ...(troupeHome !== undefined && { troupeHome }),
      ...(planFile !== undefined && { planFile }),
    }
    if ((await decide(call, ctx, narrow)).decision === 'allow') continue
    const listed = limit.length === 0 ? 'nothing' : limit.join(', ')
    const reason = `A skill of this turn lets only this run unasked: ${listed}.`
    const { remember: _, ...rest } = decision
    return { ...rest, decision: 'ask', reason, rule: null, firm: true }
  }
  return decision
}

/**
 * What may run unasked by each skill that is at work: those of whoever started this agent, those of the message, and
 * those that the model loaded since.
 */
export function activeSkillLimits(ctx: ToolContext): readonly (readonly string[])[] {
  const inherited = ctx.agent.unasked ?? []
  const own = ctx.state.skills?.limits ?? []
  const loaded = loadedSkillLimits(ctx)
  return inherited.length + loaded.length === 0 ? own : [...inherited, ...own, ...loaded]
}

const compiled = new Map<string, RuleSet>()

function compileLimit(limit: readonly string[], base: string): RuleSet {
  const key = [base, ...limit].join('\n')
  const known = compiled.get(key)
  if (known !== undefined) return known
  const rules = compileRules(limit.map((text) => ({ text, effect: 'allow', layer: 'session', base })))
  if (compiled.size >= 100) compiled.clear()
  compiled.set(key, rules)
  return rules
}

const outputSchema = z.object({ runId: z.string(), limits: z.array(z.array(z.string())) })

/**
 * What the skills that the model loaded in this run leave unasked. Looked up once: an earlier process may have loaded
 * some, and the newest result of Skill has them all.
 */
export function loadedSkillLimits(
  ctx: Pick<ToolContext, 'state' | 'run' | 'lastOutput'>,
): readonly (readonly string[])[] {
  const { skills } = ctx.state
  if (skills === undefined) return []
  if (skills.loaded?.runId !== ctx.run.id) {
    const newest = outputSchema.safeParse(ctx.lastOutput('Skill')).data
    skills.loaded = { runId: ctx.run.id, limits: newest?.runId === ctx.run.id ? newest.limits : [] }
  }
  return skills.loaded.limits
}
