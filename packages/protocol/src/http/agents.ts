import { z } from 'zod'
import { paramValuesSchema } from '../params.ts'
import { eventNumberSchema, steerRequestSchema } from './chat.ts'
import { endpoints, fileProblemSchema } from './endpoint.ts'
import { branchPageSchema, pageLimitSchema } from './messages.ts'
import { storedSessionSchema } from './sessions.ts'

const agentSchema = z.object({
  name: z.string(),
  description: z.string(),
  source: z.enum(['built-in', 'database', 'home', 'project']),
  enabled: z.boolean(),
  note: z.string().optional().describe('why it cannot be used, or a warning'),
  systemPrompt: z.string(),
  languages: z.array(z.string()).describe('languages that it has its own prompt for'),
  tools: z.array(z.string()).readonly().describe('names of tools and groups'),
  allowedSubAgents: z.array(z.string()).readonly().optional().describe('absent: the default set; empty: none'),
  model: z.string().optional(),
  maxDepth: z.number().optional(),
  maxSteps: z.number().optional(),
  budget: z
    .object({
      steps: z.number().optional(),
      tokens: z.number().optional(),
      cost: z.number().optional(),
      ms: z.number().optional(),
    })
    .optional(),
  params: paramValuesSchema.optional(),
  pageIds: z.array(z.string()).readonly().optional(),
  hidden: z.literal(true).optional().describe('not listed, but can be called by name'),
  turnedOff: z.literal(true).optional().describe('the user turned it off'),
  path: z.string().optional().describe('the file that it comes from'),
  foreign: z.literal(true).optional().describe('written for another program: missing tools are skipped'),
})
export type AgentInfo = z.infer<typeof agentSchema>

const agentListSchema = z.object({
  agents: z.array(agentSchema),
  problems: z.array(fileProblemSchema).describe('files that could not be read'),
})
export type AgentList = z.infer<typeof agentListSchema>

const names = z.array(z.string().min(1).max(200)).max(200)

const fields = {
  enabled: z.boolean(),
  description: z.string().max(1024),
  systemPrompt: z.string().min(1).max(64_000, 'at most 64,000 characters'),
  toolKeys: names,
  allowedSubAgents: names.nullable().optional(),
  maxDepth: z.int().positive().max(20).nullable().optional(),
  maxSteps: z.int().positive().max(1000).nullable().optional(),
  model: z.string().min(1).max(300).nullable().optional(),
  params: paramValuesSchema.nullable().optional(),
  budget: z
    .strictObject({
      steps: z.int().positive().optional(),
      tokens: z.int().positive().optional(),
      cost: z.number().positive().optional(),
      ms: z.number().positive().optional(),
    })
    .nullable()
    .optional(),
  pageIds: names.nullable().optional(),
}

/** A definition in the database. It selects existing tools and cannot define new ones. */
export const storedDefinitionSchema = z.strictObject({
  ...fields,
  enabled: fields.enabled.default(true),
  description: fields.description.default(''),
  toolKeys: fields.toolKeys.default([]),
})
export type StoredDefinition = z.infer<typeof storedDefinitionSchema>

/** Omitted fields stay unchanged, and null removes a field. Has no defaults, since they would count as changes. */
export const agentPatchSchema = z.strictObject(fields).partial()
export type AgentPatch = z.infer<typeof agentPatchSchema>

const agentFileSchema = z.object({
  path: z.string(),
  text: z.string(),
  version: z.string().describe('of the text, to detect changes on disk'),
})
export type AgentFileText = z.infer<typeof agentFileSchema>

const agentFilePath = z.string().min(1).max(4096).describe('the file of an agent, as listed')

export const agentStatusSchema = z.enum(['pending', 'running', 'waiting', 'completed', 'failed', 'stopped'])

const subAgentSchema = z.object({
  sessionId: z.string(),
  agentId: z.string(),
  parentAgentId: z.string().nullable().describe("null if its parent is the session's main agent"),
  name: z.string(),
  task: z.string(),
  agentType: z.string(),
  status: agentStatusSchema,
  title: z.string(),
  runId: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  parentRunId: z.string().optional().describe('this and the fields below are missing for imported sub-agents'),
  toolCallId: z.string().optional(),
  background: z.boolean().optional(),
  steps: z.number().optional(),
  tokens: z.number().optional(),
  cost: z.number().optional(),
  model: z.string().optional(),
  note: z.string().optional().describe('why the answer may be incomplete'),
})
export type SubAgentSummary = z.infer<typeof subAgentSchema>

export const agentEndpoints = endpoints({
  'GET /ai/agents': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists every agent: built-in, from the database, and from files, with the reason if one cannot be used.',
    scoped: true,
    answers: { 200: agentListSchema },
  },
  'POST /ai/agents': {
    access: { on: 'workspace', right: 'manage' },
    summary: 'Defines an agent of the workspace: a prompt, and which of the existing tools it has.',
    body: storedDefinitionSchema.extend({ name: z.string().min(1).max(200) }),
    scoped: true,
    answers: { 201: z.object({ agent: agentSchema }), 409: 'AgentExists', 422: 'InvalidAgent' },
  },
  'PATCH /ai/agents/:name': {
    access: { on: 'workspace', right: 'manage' },
    summary:
      'Changes an agent, or turns it off or on. Changing a built-in agent or one from a file creates your own version. Current runs keep the old one.',
    body: agentPatchSchema,
    scoped: true,
    answers: { 200: z.object({ agent: agentSchema }), 404: 'AgentNotFound', 422: 'InvalidAgent' },
  },
  'DELETE /ai/agents/:name': {
    access: { on: 'workspace', right: 'manage' },
    summary: 'Deletes an agent of the workspace. An agent that it replaced is available again.',
    scoped: true,
    answers: { 200: z.object({ deleted: z.string() }), 404: 'AgentNotFound' },
  },
  'GET /ai/agent-files': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Returns the text of a file that defines an agent, also of one that is not valid.',
    scoped: true,
    query: z.object({ path: agentFilePath }),
    answers: { 200: agentFileSchema, 404: 'AgentNotFound', 409: 'FileNotEditable' },
  },
  'PATCH /ai/agent-files': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Replaces the text of a file that defines an agent, if it is valid and the file still has this version.',
    scoped: true,
    body: z.strictObject({ path: agentFilePath, text: z.string().max(200_000), version: z.string().max(100) }),
    answers: { 200: agentFileSchema, 404: 'AgentNotFound', 409: 'FileNotEditable, FileChanged', 422: 'InvalidAgent' },
  },
  'GET /ai/sessions/:id/agents': {
    access: { on: 'session', right: 'read', link: true },
    summary: 'Lists the sub-agents of a session at every depth, in the order in which they started.',
    scoped: true,
    answers: {
      200: z.object({
        agents: z.array(
          subAgentSchema.extend({
            startedAt: z.number().optional().describe('start of its latest turn'),
            elapsedMs: z.number().optional().describe('duration of that turn once it has ended'),
          }),
        ),
      }),
      404: 'SessionNotFound',
    },
  },
  'GET /ai/sessions/:id/agents/:agentId/messages': {
    access: { on: 'session', right: 'read', link: true },
    summary: 'Returns a page of the conversation of a sub-agent, from its end.',
    query: z.object({
      before: z.string().max(64).optional(),
      limit: pageLimitSchema,
    }),
    scoped: true,
    answers: { 200: branchPageSchema.extend({ agent: subAgentSchema }), 404: 'SessionNotFound, AgentNotFound' },
  },
  'GET /ai/sessions/:id/agents/:agentId/stream': {
    access: { on: 'session', right: 'read', link: true },
    summary: 'Follows a running sub-agent after the number in Last-Event-ID or ?after.',
    query: z.object({ after: eventNumberSchema }),
    gives: ['stream'],
    scoped: true,
    answers: { 200: 'UI message stream', 204: 'not running', 404: 'SessionNotFound, AgentNotFound' },
  },
  'POST /ai/sessions/:id/agents/:agentId/stop': {
    access: { on: 'session', right: 'write' },
    summary: 'Stops a sub-agent and everything that it started. Its parent reads what it had written.',
    scoped: true,
    answers: { 200: z.object({ agent: subAgentSchema }), 404: 'SessionNotFound, AgentNotFound', 409: 'NoRun' },
  },
  'POST /ai/sessions/:id/agents/:agentId/input': {
    access: { on: 'session', right: 'write' },
    summary: 'Sends a message to a sub-agent: a running one reads it at its next step, a finished one continues.',
    body: steerRequestSchema,
    scoped: true,
    answers: { 202: z.object({ agent: subAgentSchema }), 404: 'SessionNotFound, AgentNotFound', 409: 'SessionTrashed' },
  },
  'POST /ai/sessions/:id/agents/:agentId/fork': {
    access: { on: 'session', right: 'read', workspace: 'write' },
    summary: 'Copies the conversation of a sub-agent into a new session, to continue it there.',
    scoped: true,
    answers: { 201: z.object({ session: storedSessionSchema }), 404: 'SessionNotFound, AgentNotFound' },
  },
})

const taskSchema = z.object({
  id: z.string(),
  kind: z.enum(['command', 'terminal']),
  command: z.string(),
  status: z.enum(['running', 'ended', 'stopped', 'timed-out']),
  exitCode: z.number().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
})
export type TaskInfo = z.infer<typeof taskSchema>

const oneTaskSchema = z.object({ task: taskSchema })

export const taskEndpoints = endpoints({
  'GET /ai/sessions/:id/tasks': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Lists the background commands and terminals of a session and its sub-agents, including ended ones.',
    scoped: true,
    answers: { 200: z.object({ tasks: z.array(taskSchema) }), 404: 'SessionNotFound' },
  },
  'GET /ai/sessions/:id/tasks/:taskId': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Returns the output of a background command from position ?from. With ?wait, waits for more output.',
    query: z.object({
      from: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
      wait: z
        .string()
        .regex(/^\d{1,6}$/)
        .optional()
        .describe('milliseconds, at most 20,000'),
    }),
    scoped: true,
    answers: {
      200: oneTaskSchema.extend({
        text: z.string(),
        next: z.number().describe('the position after the text, for the next ?from'),
        lost: z.number().describe('characters after ?from that are no longer kept'),
      }),
      404: 'SessionNotFound, TaskNotFound',
    },
  },
  'POST /ai/sessions/:id/tasks/:taskId/stop': {
    access: { on: 'session', right: 'write' },
    summary: 'Stops a background command and everything it started.',
    scoped: true,
    answers: { 200: oneTaskSchema, 404: 'SessionNotFound, TaskNotFound' },
  },
})
