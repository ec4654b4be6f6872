import path from 'node:path'
import {
  changeTasks,
  maxTaskCharacters,
  type ProjectInfo,
  readTasks,
  type Store,
  type TaskChange,
  taskFile,
  type Workspace,
} from '@troupe/core'
import { NamedError, projectEndpoints, type ProjectTask, wholeFolder } from '@troupe/protocol'
import type { Home } from '../config/home.ts'
import { readContent, writeContent } from '../files/file-content.ts'
import { createEntry } from '../files/file-operations.ts'
import type { Files } from '../files/file-routes.ts'
import { fileRoot, type FileRoot } from '../files/workspace-path.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { WorkspaceProjects } from './open-workspaces.ts'

interface ProjectRouteServices {
  store: Store
  projects: WorkspaceProjects
  home: Pick<Home, 'path'>
  files: Pick<Files, 'journal' | 'index'>
}

export function projectRoutes({ store, projects, home, files }: ProjectRouteServices): Route[] {
  return implement(projectEndpoints, {
    'GET /ai/projects': async ({ workspaceId }) => ({
      projects: await projects.of(await findWorkspace(store, workspaceId)).list(),
    }),
    'POST /ai/projects': async ({ body, workspaceId }) => {
      const workspace = await findWorkspace(store, workspaceId)
      if (body.create === true) {
        await createEntry(fileRoot(workspace, home.path), body.path, 'folder')
        files.index.touch(workspaceId)
      }
      return { project: await projects.of(workspace).open(body.path, body.name) }
    },
    'GET /ai/projects/:id': async ({ params, workspaceId }) => {
      const workspace = await findWorkspace(store, workspaceId)
      const project = await find(workspace, params.id)
      const [facts, list] = await Promise.all([
        projects.of(workspace).describe(project),
        readList(fileRoot(workspace, home.path), listOf(workspace, project)),
      ])
      return { project: facts, ...shown(list), file: list.path }
    },
    'DELETE /ai/projects/:id': async ({ params, workspaceId }) => {
      await projects.of(await findWorkspace(store, workspaceId)).forget(params.id)
      return { forgotten: params.id }
    },
    'PATCH /ai/projects/:id/tasks': async ({ params, body, workspaceId }) => {
      const workspace = await findWorkspace(store, workspaceId)
      const at = listOf(workspace, await find(workspace, params.id))
      return shown(await changeList(fileRoot(workspace, home.path), at, body))
    },
  })

  async function find(workspace: Workspace, id: string): Promise<ProjectInfo> {
    const { path: at } = workspace
    if (id === wholeFolder) return { id, name: path.basename(at) || at, path: at, parentProjectId: null }
    const found = (await projects.of(workspace).list()).find((one) => one.id === id)
    if (found !== undefined) return found
    throw new NamedError('ProjectNotFound', 'This project does not exist in this workspace.', {
      status: 404,
      data: { projectId: id },
    })
  }

  async function changeList(root: FileRoot, at: string, changes: TaskChanges): Promise<TaskList> {
    for (let tries = 0; ; tries++) {
      const list = await readList(root, at)
      if (list.problem !== undefined) throw new NamedError('TasksUnreadable', list.problem, { status: 409 })
      const text = changeTasks(list.text, { add: changes.add, change: changes.change?.map((one) => placed(list, one)) })
      const { encoding, bom, version } = list
      try {
        await writeContent(root, { path: at, text, version, format: { encoding, bom } }, files.journal)
        return { ...list, text }
      } catch (error) {
        // An agent or an editor was faster. The change applies to the new content.
        if (!(error instanceof NamedError) || error.name !== 'FileChanged' || tries >= mostTries) throw error
      }
    }
  }
}

const mostTries = 5
const mostTasks = 1000

interface TaskChanges {
  add?: string[] | undefined
  change?:
    | { number: number; was: string; status?: ProjectTask['status']; text?: string; remove?: boolean }[]
    | undefined
}

interface TaskList {
  path: string
  text: string
  version: string | null
  encoding: Parameters<typeof writeContent>[1]['format']['encoding']
  bom: boolean
  /** The reason that the file cannot be used. */
  problem?: string
}

function listOf(workspace: Workspace, project: ProjectInfo): string {
  return path.posix.join(path.relative(workspace.path, project.path).split(path.sep).join('/'), taskFile)
}

async function readList(root: FileRoot, at: string): Promise<TaskList> {
  const none: TaskList = { path: at, text: '', version: null, encoding: 'utf-8', bom: false }
  try {
    const file = await readContent(root, at, { secret: true })
    if (file.kind !== 'text' || file.version === undefined)
      return { ...none, problem: `${taskFile} is no text file, or it is too long.` }
    const { text = '', version, encoding = 'utf-8', bom = false } = file
    if (text.length > maxTaskCharacters)
      return { ...none, problem: `${taskFile} is longer than 256 KiB. Shorten it first.` }
    return { path: at, text, version, encoding, bom }
  } catch (error) {
    if (!(error instanceof NamedError)) throw error
    return error.name === 'FileNotFound' ? none : { ...none, problem: error.message }
  }
}

/** Finds the task that the person saw, even if its number is another one by now. */
function placed(list: TaskList, { number, was, ...change }: NonNullable<TaskChanges['change']>[number]): TaskChange {
  const tasks = readTasks(list.text)
  const found = tasks[number - 1]?.text === was ? tasks[number - 1] : tasks.find(({ text }) => text === was)
  if (found !== undefined) return { task: found.number, ...change }
  throw new NamedError('TaskChanged', 'Someone else changed or removed this task. Check the list and try again.', {
    status: 409,
  })
}

function shown({ text, problem }: TaskList): { tasks: ProjectTask[]; problem?: string } {
  return { tasks: readTasks(text).slice(0, mostTasks), ...(problem !== undefined && { problem }) }
}
