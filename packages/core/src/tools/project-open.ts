import { mkdirSync } from 'node:fs'
import { z } from 'zod'
import { findProjects } from '../files/project-folder.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Opens a folder of the workspace as a project, or creates it first with "create". Chats can then be started in the project. To describe it for agents, write its AGENTS.md.`,
  input: z.strictObject({
    path: z.string().min(1).describe('Folder of the project, absolute or relative to the working directory'),
    name: z.string().trim().min(1).max(100).describe('Default: the name of the folder').optional(),
    create: z.boolean().describe('Create the folder').default(false),
  }),
  readOnly: false,
  recover: 'rerun',
  deferred: true,
  group: 'project',
  touches: ({ path, create }) => [{ kind: create ? 'write' : 'read', path }],
  title: ({ path }) => `Open project ${path}`,
  permission: ({ path, create }) => ({ title: create ? 'Create a project' : 'Open a project', summary: path }),
  async execute({ path, name, create }, ctx) {
    const { path: real, shown, stats } = resolvePath(ctx, path, { for: create ? 'write' : 'read' })
    if (stats === undefined && !create) throw new Error(`${shown} does not exist. Set "create" to create it.`)
    if (stats?.isDirectory() === false) throw new Error(`${shown} is a file. Give a folder.`)
    if (stats === undefined) mkdirSync(real, { recursive: true })
    return { project: await findProjects(ctx).open(real, name) }
  },
  toModel: ({ project: { id, name, path } }) => `${name} is a project now: ${id}, in ${path}.`,
  display: ({ project: { name } }) => ({ title: `Open project ${name}` }),
})
