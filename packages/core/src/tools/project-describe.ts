import { z } from 'zod'
import { findProject, findProjects, readTaskFile } from '../files/project-folder.ts'
import { shownPath } from '../files/resolve-path.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: 'Describes a project: its folder, notes, skills, agents, rules, MCP servers, default model and tasks.',
  input: z.strictObject({
    project: z.string().describe('Id, name or folder. Default: the project of this chat').optional(),
  }),
  readOnly: true,
  deferred: true,
  group: 'project',
  title: ({ project }) => `Describe project ${project ?? ''}`.trim(),
  permission: ({ project }) => ({ title: 'Describe a project', summary: project }),
  async execute({ project: wanted }, ctx) {
    const project = await findProject(ctx, wanted)
    const { tasks } = await readTaskFile(ctx, project)
    const facts = await findProjects(ctx).describe(project)
    return { ...facts, path: shownPath(project.path, ctx.workspace.path) || '.', tasks }
  },
  toModel: ({ name, id, path, trusted, notes, skills, agents, rules, mcpServers, model, tasks }) =>
    [
      `${name} (${id}) in ${path}`,
      ...(trusted ? [] : ['The folder is not trusted, so nothing below takes effect.']),
      `Notes for agents: ${list(notes)}`,
      `Skills: ${list(skills)}`,
      `Agents: ${list(agents)}`,
      `Rules: ${rules}`,
      `MCP servers: ${list(mcpServers)}`,
      `Default model: ${model ?? 'none'}`,
      `Tasks: ${tasks.filter(({ status }) => status !== 'done').length} open, ${tasks.filter(({ status }) => status === 'done').length} done`,
    ].join('\n'),
  display: ({ name, path }) => ({ title: `Describe project ${name}`, summary: path }),
})

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 50).join(', ')
}
