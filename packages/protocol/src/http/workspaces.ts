import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { storedSessionSchema } from './sessions.ts'

const workspaceSchema = z.object({
  id: z.string(),
  name: z.string().describe('the name of the folder'),
  path: z.string(),
  node: z.string().optional().describe("the member's own computer that the folder is on, in team mode"),
  trusted: z.boolean(),
  createdAt: z.number(),
})

const folderStateSchema = z
  .enum(['ok', 'missing', 'unreadable', 'slow'])
  .describe('"slow": the folder does not respond, for example a network drive that is gone')

const recentWorkspaceSchema = workspaceSchema.extend({
  state: folderStateSchema,
  own: z.boolean().describe('the folder that the server was started in'),
  chats: z.number().describe('active chats'),
  running: z.number().describe('chats with a live run'),
  asks: z.number().describe('open requests to the user'),
  worktrees: z.number().describe('git worktrees made from it, or from the folder it was made from'),
  usedAt: z.number(),
  sessions: z
    .array(storedSessionSchema.pick({ id: true, title: true, pinned: true, updatedAt: true }))
    .optional()
    .describe('its newest chats, with ?chats'),
})
export type RecentFolder = z.infer<typeof recentWorkspaceSchema>

const pathSchema = z.string().min(1).max(4096)

export const workspaceEndpoints = endpoints({
  'GET /ai/workspace': {
    access: { on: 'workspace', right: 'read' },
    summary: "Returns the server's folder, or the one that the request names, and whether it is trusted.",
    query: z.object({ path: pathSchema.optional() }),
    scoped: true,
    answers: { 200: z.object({ workspace: workspaceSchema }), 400: 'BadWorkspace', 503: 'FolderSlow' },
  },
  'PATCH /ai/workspace': {
    access: { on: 'organization', right: 'manage' },
    summary:
      'Trusts the folder, or stops trusting it. In a trusted folder its own tools, agents, rules, hooks, skills, commands and notes take effect, and its MCP servers can be trusted.',
    body: z.strictObject({ trusted: z.boolean() }),
    scoped: true,
    answers: { 200: z.object({ workspace: workspaceSchema }) },
  },
  'GET /ai/workspaces': {
    access: { on: 'organization', right: 'read' },
    summary: 'Lists the recent folders, last used first. A folder that does not respond delays nothing.',
    query: z.object({
      chats: z.coerce.number().int().min(0).max(50).optional().describe('newest chats of each folder'),
      session: z.string().max(64).optional().describe('also says which folder has this chat'),
    }),
    answers: {
      200: z.object({
        workspaces: z.array(recentWorkspaceSchema),
        roots: z.array(z.string()).describe('where pages may open folders'),
        sessionWorkspaceId: z.string().nullable().describe('the folder of ?session'),
      }),
    },
  },
  'POST /ai/workspaces': {
    access: { on: 'organization', right: 'manage' },
    summary:
      'Opens a folder. A page can open folders only inside the allowed places: the home folder, folders opened from the command line, or the "roots" of config.json. With "create", makes the folder first.',
    body: z.strictObject({ path: pathSchema, create: z.boolean().optional() }),
    answers: {
      200: z.object({ workspace: workspaceSchema }),
      400: 'BadWorkspace',
      403: 'OutsideRoots',
      409: 'FolderNotMade',
      503: 'FolderSlow',
    },
  },
  'DELETE /ai/workspaces/:id': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Removes a folder from the recent ones. Its files and chats stay.',
    answers: { 200: z.object({ removed: z.string() }), 404: 'WorkspaceNotFound', 409: 'OwnWorkspace' },
  },
  'GET /ai/workspaces/complete': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Completes the path of a folder inside the allowed places. Hidden folders only if a dot was typed.',
    query: z.object({ path: z.string().max(4096).optional() }),
    answers: {
      200: z.object({
        folder: z.string().nullable().describe('the folder whose folders are listed; null for the allowed places'),
        state: z.enum(['ok', 'missing', 'unreadable', 'slow', 'outside']),
        entries: z.array(
          z.object({ name: z.string(), path: z.string(), git: z.boolean().describe('the root of a git repository') }),
        ),
        isCut: z.boolean().describe('there are more folders than listed'),
      }),
    },
  },
})

const problemSchema = z.object({
  line: z.number().describe('1-based'),
  column: z.number().describe('1-based, in UTF-16 units'),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  code: z.string().optional(),
  source: z.string().optional(),
})

const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  parentProjectId: z.string().nullable().describe('the nearest project around it'),
})

const taskSchema = z.object({
  number: z.int().describe('position in the list, from 1'),
  text: z.string(),
  status: z.enum(['open', 'started', 'done']),
})
export type ProjectTask = z.infer<typeof taskSchema>

const projectFactsSchema = projectSchema.extend({
  trusted: z.boolean().describe('its configuration has an effect'),
  notes: z.array(z.string()).describe('AGENTS.md and CLAUDE.md, if it has them'),
  skills: z.array(z.string()),
  agents: z.array(z.string()),
  rules: z.number(),
  mcpServers: z.array(z.string()),
  model: z.string().nullable(),
})

const taskText = z.string().trim().min(1).max(500)
const tasksAnswer = {
  tasks: z.array(taskSchema).describe('at most 1,000'),
  problem: z.string().optional().describe('the reason that TASKS.md cannot be used'),
}

export const projectEndpoints = endpoints({
  'GET /ai/projects': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists the projects of the workspace: folders inside it with their own configuration.',
    scoped: true,
    answers: { 200: z.object({ projects: z.array(projectSchema) }) },
  },
  'POST /ai/projects': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Opens a folder inside the workspace as a project, or renames a known one. Then `projectId` starts chats in it.',
    body: z.strictObject({
      path: pathSchema.describe('absolute, or relative to the workspace'),
      name: z.string().trim().min(1).max(100).optional(),
      create: z.boolean().optional().describe('makes the folder first; the path is then relative'),
    }),
    scoped: true,
    answers: {
      200: z.object({ project: projectSchema }),
      400: 'BadProject, OutsideWorkspace, BadFileName',
      403: 'OutsideWorkspace',
      409: 'FileExists',
    },
  },
  'GET /ai/projects/:id': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Describes a project: what it brings, and the tasks in its TASKS.md. The ID `folder` is the workspace itself.',
    params: z.object({ id: z.string() }),
    scoped: true,
    answers: {
      200: z.object({ project: projectFactsSchema, ...tasksAnswer, file: z.string().describe('path of TASKS.md') }),
      404: 'ProjectNotFound, FolderGone',
    },
  },
  'DELETE /ai/projects/:id': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Forgets a project. No file is deleted. Its chats and the projects inside it move to the project around it, or to the workspace.',
    params: z.object({ id: z.string() }),
    scoped: true,
    answers: { 200: z.object({ forgotten: z.string() }), 404: 'ProjectNotFound', 409: 'ProjectBusy' },
  },
  'PATCH /ai/projects/:id/tasks': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Adds tasks to TASKS.md of a project, or changes some. Only the lines of these tasks change, even if the file changed in the meantime.',
    params: z.object({ id: z.string() }),
    body: z.strictObject({
      add: z.array(taskText).max(100).optional(),
      change: z
        .array(
          z.strictObject({
            number: z.int().positive(),
            was: z.string().min(1).max(10_000).describe('its text, as it was shown'),
            status: taskSchema.shape.status.optional(),
            text: taskText.optional(),
            remove: z.boolean().optional(),
          }),
        )
        .max(100)
        .optional(),
    }),
    scoped: true,
    answers: {
      200: z.object(tasksAnswer),
      403: 'OutsideWorkspace, FileReadOnly',
      404: 'ProjectNotFound, FolderGone',
      409: 'TaskChanged, TasksUnreadable, FileChanged',
      507: 'DiskFull',
    },
  },
})

export const codeEndpoints = endpoints({
  'GET /ai/language-servers': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists the language servers that were started in the folder.',
    scoped: true,
    answers: {
      200: z.object({
        servers: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            root: z.string().describe('the project it serves'),
            state: z.enum(['starting', 'running', 'failed']),
            problem: z.string().optional().describe('reason of a failure'),
          }),
        ),
      }),
    },
  },
  'POST /ai/language-servers/problems': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Returns the errors and warnings of a file, as it is on disk or with the text of an editor.',
    body: z.strictObject({
      path: z.string().min(1).max(4096).describe('relative to the folder, or absolute'),
      text: z
        .string()
        .max(2 << 20)
        .optional(),
    }),
    scoped: true,
    answers: {
      200: z.object({
        problems: z
          .array(problemSchema)
          .nullable()
          .describe('null if the folder is not trusted, no language server knows the file, or it is too slow'),
      }),
      400: 'BadRequest',
    },
  },
})

const connectionSchema = z.object({
  name: z.string(),
  type: z.enum(['postgres', 'mysql', 'sqlite', 'troupe']),
  writable: z.boolean().describe('true if agents may ask to change data'),
})

export const queryEndpoints = endpoints({
  'GET /ai/connections': {
    access: { on: 'organization', right: 'read' },
    summary: 'Lists the connections of the config by name and type. Addresses and passwords are not returned.',
    answers: { 200: z.object({ connections: z.array(connectionSchema) }) },
  },
  'POST /ai/query/export': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Runs a statement that only reads, and returns all its rows as a file.',
    scoped: true,
    body: z.object({
      sql: z.string().min(1).max(100_000),
      connection: z.string().max(4096).optional().describe('default: the files that the statement names'),
      format: z.enum(['csv', 'xlsx', 'parquet']),
      sessionId: z.string().max(100).describe('relative names start at the working directory of this session'),
    }),
    gives: ['bytes'],
    answers: { 200: 'the file', 422: 'QueryFailed' },
  },
})
