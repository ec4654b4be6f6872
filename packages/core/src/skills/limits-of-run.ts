import { z } from 'zod'
import type { ToolContext } from '../tool.ts'

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
