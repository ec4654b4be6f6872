import { z } from 'zod'
import { loadedSkillLimits } from '../permission/policy.ts'
import { skillBlock } from '../prompt/prompt-blocks.ts'
import { allowSkillFolder } from '../skills/agent-skills.ts'
import { findSkill, readSkillBody } from '../skills/find-skills.ts'
import { defineTool, withModelText } from '../tool/tool.ts'

interface SkillOutput {
  name: string
  path: string
  folder: string
  scope: string
  /** The run that loaded it, and the limits of all skills loaded in that run. */
  runId: string
  limits: string[][]
}

export default defineTool({
  description:
    'Loads a skill: instructions for one kind of task. If a description fits the task, load it before you start and follow it. Files it mentions are in its folder.',
  input: z.object({ name: z.string().min(1).max(100).describe('The name from the list of skills') }),
  // A write, so calls keep their order: its limits apply to later calls. It can rerun.
  readOnly: false,
  needsApproval: false,
  recover: 'rerun',
  group: 'system',
  touches: ({ name }) => [{ kind: 'skill', name }],
  title: ({ name }) => `Load the skill ${name}`,
  permission: ({ name }) => ({ title: 'Load a skill', summary: name }),
  execute({ name }, ctx): SkillOutput {
    const skills = ctx.state.skills?.list() ?? []
    const skill = findSkill(name.toLowerCase().replace(/^\/?skill\//, ''), skills)
    if (skill === undefined) throw new Error(unknownText(name, skills))
    if (skill.personOnly === true)
      throw new Error(`Only the user can load the skill "${skill.name}", by typing /skill/${skill.name}.`)
    const content = readSkillBody(skill)
    allowSkillFolder(ctx.state, skill)
    const { allowedTools, folder, path, scope } = skill
    const limits = [...loadedSkillLimits(ctx), ...(allowedTools === undefined ? [] : [allowedTools])].map((rules) => [
      ...rules,
    ])
    const { id: runId } = ctx.run
    if (ctx.state.skills !== undefined) ctx.state.skills.loaded = { runId, limits }
    const output: SkillOutput = { name: skill.name, path, folder, scope, runId, limits }
    return withModelText(output, skillBlock({ name: skill.name, path, content: content || 'The skill has no text.' }))
  },
  display: ({ name, scope, folder }) => ({ title: `Skill ${name}`, summary: `${scope}, ${folder}` }),
})

function unknownText(name: string, skills: readonly { name: string }[]): string {
  if (skills.length === 0) return 'No skills are available.'
  const names = skills.slice(0, 40).map((skill) => skill.name)
  const left = skills.length - names.length
  return `There is no skill "${name}". Available skills: ${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}.`
}
