import { z } from 'zod'
import { findProject, findProjects } from '../files/project-folder.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Forgets a project: its folder becomes an ordinary one. No file is deleted, and its chats stay. Its skills, agents, rules and MCP servers no longer apply to them.`,
  input: z.strictObject({ project: z.string().min(1).describe('Its ID, name or folder') }),
  readOnly: false,
  recover: 'rerun',
  deferred: true,
  group: 'project',
  title: ({ project }) => `Forget project ${project}`,
  permission: ({ project }) => ({ title: 'Forget a project', summary: project }),
  async execute({ project: wanted }, ctx) {
    const project = await findProject(ctx, wanted)
    await findProjects(ctx).forget(project.id)
    return { project }
  },
  toModel: ({ project: { name, path } }) => `${name} is no longer a project. The files in ${path} stay.`,
  display: ({ project: { name } }) => ({ title: `Forget project ${name}` }),
})
