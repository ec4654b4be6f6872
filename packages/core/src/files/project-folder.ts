import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ProjectInfo, Projects } from '../tool/projects.ts'
import type { ToolContext } from '../tool/tool.ts'
import { type ProjectTask, readTasks, taskFile } from './task-file.ts'

/** Throws an Error for the model where there are no projects. */
export function findProjects({ projects }: ToolContext): Projects {
  if (projects === undefined) throw new Error('There are no projects here.')
  return projects
}

/** Finds a project by id, name or folder. Default: the project of the chat. */
export async function findProject(ctx: ToolContext, wanted: string | undefined): Promise<ProjectInfo> {
  if (wanted === undefined && ctx.project !== undefined) return ctx.project
  const all = await findProjects(ctx).list()
  const folder = wanted === undefined ? undefined : path.resolve(ctx.state.cwd, wanted)
  const found = all.find(({ id, name, path: at }) => id === wanted || name === wanted || at === folder)
  if (found !== undefined) return found
  const known = all.map(({ id, name }) => `${id} (${name})`).join(', ')
  const text = wanted === undefined ? 'This chat has no project. Name one.' : `There is no project "${wanted}".`
  throw new Error(`${text} Projects: ${known || 'none. ProjectOpen makes a folder a project'}.`)
}

const maxBytes = 1024 * 1024

export async function readTaskFile(ctx: ToolContext, project: ProjectInfo): Promise<{ tasks: ProjectTask[] }> {
  const file = path.join(project.path, taskFile)
  const found = await stat(file).catch(() => undefined)
  // Reading a pipe could wait forever.
  if (found?.isFile() !== true || found.size > maxBytes) return { tasks: [] }
  return { tasks: readTasks(await readFile(file, { encoding: 'utf8', signal: ctx.signal })) }
}
