import { z } from 'zod'
import { findProjects } from '../files/project-folder.ts'
import { shownPath } from '../files/resolve-path.ts'
import { formatCount } from '../text/format.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: 'Lists the projects of the workspace: folders with their own notes, skills, agents, rules and tasks.',
  input: z.strictObject({}),
  readOnly: true,
  deferred: true,
  group: 'project',
  title: () => 'List projects',
  permission: () => ({ title: 'List projects' }),
  async execute(_, ctx) {
    const root = ctx.workspace.path
    const projects = (await findProjects(ctx).list()).map((project) => ({
      ...project,
      path: shownPath(project.path, root) || '.',
      current: project.id === ctx.project?.id,
    }))
    return { projects }
  },
  toModel: ({ projects }) =>
    projects.length === 0
      ? 'There are no projects yet. ProjectOpen makes a folder a project.'
      : projects
          .map(({ id, name, path, current }) => `${id} ${name} (${path})${current ? ', this chat' : ''}`)
          .join('\n'),
  display: ({ projects }) => ({ title: 'List projects', summary: formatCount(projects.length, 'project') }),
})
