import { z } from 'zod'
import type { Decision } from '../access/decision.ts'
import { decide } from '../permission/decide.ts'
import { compileRules, type Policy, type RuleSet } from '../permission/policy.ts'
import type { ToolContext } from '../tool/tool.ts'
import type { RunInput } from './run-input.ts'

type Call = Parameters<RunInput['decide']>[0]

/**
 * Applies the `allowed-tools` of loaded skills to a call, for the turn in which they are loaded. A skill only narrows
 * what runs without asking and never widens it. A call still runs without asking only if the skill's list alone would
 * allow it, in the default mode and without a sandbox. So reads in the workspace and listed tools continue, and
 * everything else asks. With several skills, each must allow the call. Agents started meanwhile get the same limits.
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
    const reason = `A skill used in this turn only allows this without approval: ${listed}.`
    const { remember: _, ...rest } = decision
    return { ...rest, decision: 'ask', reason, rule: null, firm: true }
  }
  return decision
}

/**
 * Tools each active skill allows without asking. Includes skills of the agent's starter, of the message, and those the
 * model loaded since.
 */
export function activeSkillLimits(ctx: ToolContext): readonly (readonly string[])[] {
  const inherited = ctx.agent.skillLimits ?? []
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
 * Tools that the skills loaded in this run allow without asking. Computed once: an earlier process may have loaded
 * some, and the newest Skill result lists them all.
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
