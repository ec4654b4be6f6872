import { z } from 'zod'
import { endpoints, fileProblemSchema } from './endpoint.ts'

const textsSchema = z.record(z.string().max(300), z.string().max(20_000))
const useToolsSchema = z.array(z.string().max(300)).max(5000).nullable()

/** Entry of `mcpServers` as written by people. Unknown keys are kept. */
export const mcpEntrySchema = z.looseObject({
  type: z.enum(['stdio', 'http', 'streamable-http', 'sse']).optional().describe('default: by command or url'),
  command: z.string().min(1).max(4000).optional().describe('the program to start'),
  args: z.array(z.string().max(20_000)).max(1000).optional(),
  env: textsSchema.optional().describe('environment variables of the program, in addition to a clean environment'),
  cwd: z.string().max(4000).optional().describe('the folder to start it in; default: the workspace'),
  url: z.string().max(4000).optional().describe('the address of a running server'),
  headers: textsSchema.optional(),
  oauth: z
    .looseObject({ clientId: z.string().max(2000), clientSecret: z.string().max(20_000).optional() })
    .optional()
    .describe('a client that the login already knows; default: a new one is registered'),
  enabled: z.boolean().optional(),
  disabled: z.boolean().optional(),
  useTools: useToolsSchema.optional().describe('the tools to use; default: all'),
  timeout: z.number().positive().max(86_400_000).optional().describe('milliseconds that a call may be silent'),
})
export type McpEntry = z.infer<typeof mcpEntrySchema>

/**
 * Valid server name for tool names and rules. Double underscores would blur where the server name ends. 30 characters
 * leave room for the tool name.
 */
export const mcpNamePattern = /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,28}[A-Za-z0-9])?$/

const { type, command, args, env, cwd, url, headers, oauth, timeout } = mcpEntrySchema.shape

const newMcpSchema = z.strictObject({
  name: z.string().regex(mcpNamePattern, 'at most 30 letters, digits, "_", "." and "-", no two "_" in a row'),
  type,
  command,
  args,
  env,
  cwd,
  url,
  headers,
  oauth,
  timeout,
})

const mcpPatchSchema = z.strictObject({
  type: type.nullable(),
  command: command.nullable(),
  args: args.nullable(),
  env: env.nullable(),
  cwd: cwd.nullable(),
  url: url.nullable(),
  headers: headers.nullable(),
  oauth: oauth.nullable(),
  timeout: timeout.nullable(),
  enabled: z.boolean().optional(),
  useTools: useToolsSchema.optional(),
  version: z.string().max(100).optional().describe('the version that the change of the connection is based on'),
})

const mcpToolSchema = z.object({
  name: z.string(),
  toolName: z.string().describe('the name that models and rules use'),
  title: z.string(),
  description: z.string(),
  readOnlyHint: z.boolean().describe('as reported by the server'),
  enabled: z.boolean(),
  tokens: z.number().describe('estimated tokens that it adds to every model call'),
})

const mcpPromptArgumentSchema = z.object({ name: z.string(), description: z.string(), required: z.boolean() })
export type McpPromptArgument = z.infer<typeof mcpPromptArgumentSchema>

export const mcpPromptSchema = z.object({
  name: z.string(),
  description: z.string(),
  arguments: z.array(mcpPromptArgumentSchema),
})

/** An MCP server as shown to the user. Values of environment variables and headers are never sent. */
const mcpSchema = z.object({
  name: z.string(),
  origin: z.enum(['home', 'project']),
  file: z.string().describe('the file that configures it'),
  editable: z.boolean().describe('false if its file is a link out of its folder'),
  version: z.string().describe('of its entry in the file, to detect changes on disk'),
  type: z.enum(['stdio', 'http', 'sse']),
  command: z.string().nullable(),
  args: z.array(z.string()),
  cwd: z.string().nullable(),
  url: z.string().nullable(),
  env: z.array(z.string()).describe('names only; values are never sent'),
  headers: z.array(z.string()).describe('names only; values are never sent'),
  timeout: z.number().nullable().describe('milliseconds that a call may be silent'),
  enabled: z.boolean(),
  state: z.enum(['connecting', 'ready', 'failed', 'needs-trust', 'disabled']),
  error: z.string().nullable(),
  problems: z.array(z.string()).describe('omissions and failures that do not keep it from being ready'),
  retryAt: z.number().nullable().describe('time of the next retry, in milliseconds since 1970'),
  trust: z
    .object({ what: z.enum(['command', 'tools']), fingerprint: z.string() })
    .nullable()
    .describe('the item that the user must trust, and the fingerprint that the answer must name'),
  login: z.enum(['needed', 'done']).nullable().describe('null if the server has no login'),
  title: z.string().nullable(),
  instructions: z.string().nullable(),
  tools: z.array(mcpToolSchema),
  prompts: z.array(mcpPromptSchema),
  resources: z.array(z.object({ uri: z.string(), name: z.string(), description: z.string() })),
  tokens: z.number().describe('estimated tokens that its enabled tools add to every model call'),
})
export type McpInfo = z.infer<typeof mcpSchema>

const oneMcpSchema = z.object({ server: mcpSchema })

export const mcpEndpoints = endpoints({
  'GET /ai/mcp': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists the MCP servers of the workspace with their state and tools, and problems with config files.',
    scoped: true,
    answers: { 200: z.object({ servers: z.array(mcpSchema), problems: z.array(fileProblemSchema) }) },
  },
  'POST /ai/mcp': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Adds an MCP server, with a command or a URL, to config.json in the home folder.',
    body: newMcpSchema,
    scoped: true,
    answers: { 201: oneMcpSchema, 400: 'BadRequest', 409: 'McpExists' },
  },
  // Must come before `/ai/mcp/:name`, which matches the same path.
  'GET /ai/mcp/callback': {
    access: { on: 'open' },
    summary: 'The page that the login of an MCP server redirects to.',
    // The browser returns from an external site without our credential. Only the server and the login know the state.
    query: z.looseObject({
      state: z.string().max(200),
      code: z.string().max(4000).optional(),
      iss: z.string().optional(),
    }),
    gives: ['bytes'],
    answers: { 200: 'A sentence for the user, as plain text', 400: 'McpLoginUnknown' },
  },
  'GET /ai/mcp/:name': {
    access: { on: 'workspace', right: 'manage' },
    summary: 'Returns one MCP server.',
    scoped: true,
    answers: { 200: oneMcpSchema, 404: 'McpNotFound' },
  },
  'PATCH /ai/mcp/:name': {
    access: { on: 'organization', right: 'manage' },
    summary:
      'Enables or disables an MCP server, selects its tools (null: all), or changes its connection in its file (null removes a field). A changed server of a project needs trust again. Headers are dropped when the URL moves to another server.',
    body: mcpPatchSchema,
    scoped: true,
    answers: {
      200: oneMcpSchema.extend({
        dropped: z.array(z.string()).describe('secrets that were dropped because the URL names another server'),
      }),
      400: 'BadRequest',
      404: 'McpNotFound',
      409: 'FileChanged, FileNotEditable',
    },
  },
  'DELETE /ai/mcp/:name': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Removes an MCP server from the file that configures it.',
    scoped: true,
    answers: { 200: z.object({ deleted: z.string() }), 404: 'McpNotFound', 409: 'FileChanged, FileNotEditable' },
  },
  'POST /ai/mcp/:name/test': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Reconnects to an MCP server and reports the result.',
    scoped: true,
    answers: {
      200: z.object({
        test: z.object({ ok: z.boolean(), ms: z.number(), error: z.string().nullable() }),
        server: mcpSchema,
      }),
      404: 'McpNotFound',
    },
  },
  'POST /ai/mcp/:name/trust': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Trusts the command or the tool list that the fingerprint identifies.',
    body: z.strictObject({ fingerprint: z.string().max(200) }),
    scoped: true,
    answers: { 200: oneMcpSchema, 404: 'McpNotFound', 409: 'McpChanged' },
  },
  'POST /ai/mcp/:name/login': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Starts a login and returns the URL for the user to open.',
    scoped: true,
    answers: {
      200: z.object({ url: z.string().nullable().describe('null if the user is already logged in') }),
      404: 'McpNotFound',
      409: 'McpNoLogin',
      502: 'McpLoginFailed',
    },
  },
  'GET /ai/mcp/:name/log': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Returns the end of the output and log messages of an MCP server.',
    scoped: true,
    answers: { 200: z.object({ log: z.string() }), 404: 'McpNotFound' },
  },
  'POST /ai/mcp/:name/prompts/:prompt': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Returns the messages of a prompt of an MCP server, with its arguments filled in.',
    body: z.strictObject({ arguments: z.record(z.string(), z.string().max(20_000)).default({}) }),
    scoped: true,
    answers: {
      200: z.object({
        messages: z.array(
          z.object({
            role: z.enum(['user', 'assistant']),
            content: z
              .looseObject({ type: z.string() })
              .describe('a content block of MCP: text, image, audio, resource, or resource_link'),
          }),
        ),
      }),
      404: 'McpNotFound',
      409: 'McpNotRunning',
      502: 'McpFailed',
    },
  },
})
