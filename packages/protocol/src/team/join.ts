import { z } from 'zod'
import { endpoints } from '../http/endpoint.ts'
import { effectSchema, modeSchema } from '../http/rules.ts'
import { idSchema } from '../ids.ts'

/**
 * The protocol between a server and a member's own computer, which executes tool calls in folders on it. The computer
 * opens a WebSocket and sends `hello`. Then the server sends calls, and the computer answers each by its id.
 */
export const joinPath = '/ai/join'
/** The first subprotocol. The second is the ticket: a header, because addresses end up in logs. */
export const joinSubprotocol = 'troupe.join'
/** The server ends a connection that was not renewed for this long, so that a revoked token ends it, too. */
export const joinRenewMs = 5 * 60_000

export const joinEndpoints = endpoints({
  'POST /ai/join/ticket': {
    access: { on: 'self', right: 'write' },
    team: true,
    summary: `Admits a computer of the caller to the WebSocket at ${joinPath}, once and for 30 seconds. See \`troupe node\`.`,
    answers: { 200: z.object({ ticket: z.string() }), 403: 'Forbidden' },
  },
})

export const nodeNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/)
  .describe('tells the computers of one person apart')

const id = z.int().min(0)

const rule = z.object({
  text: z.string().max(2000),
  effect: effectSchema,
  layer: z.enum(['managed', 'user', 'project', 'session', 'flag']),
  base: z.enum(['home', 'folder']).describe('what `/` in a path refers to'),
})

/** The rules of the server. The computer adds its own, and decides with its own paths and sandbox. */
const joinPolicySchema = z.object({
  mode: modeSchema,
  rules: z.array(rule),
  only: z.object({ tools: z.array(z.string()).optional(), hosts: z.array(z.string()).optional() }).optional(),
  compared: z.boolean().optional(),
  unreadable: z.string().optional(),
})
export type JoinPolicy = z.infer<typeof joinPolicySchema>

const joinCallSchema = z.object({
  op: z.enum(['decide', 'validate', 'preview', 'reduce', 'execute']),
  folder: z.string().max(4096),
  tool: z.string().max(64),
  input: z.unknown(),
  sessionId: idSchema,
  agentId: idSchema.optional(),
  runId: idSchema,
  step: z.int(),
  toolCallId: z.string().max(200),
  policy: joinPolicySchema,
  skillLimits: z.array(z.array(z.string())),
  hunks: z.array(z.string()).optional().describe('for `reduce`'),
  approved: z.boolean().optional().describe('for `execute`: a person approved this very call'),
})
export type JoinCall = z.infer<typeof joinCallSchema>

/** Asks for something that a new chat in the folder knows from the start. */
const joinNotesSchema = z.object({ op: z.literal('notes'), folder: z.string().max(4096) })
export const joinedNotesSchema = z.array(z.object({ path: z.string(), text: z.string() }))

const joinRequestSchema = z.discriminatedUnion('op', [joinCallSchema, joinNotesSchema])
export type JoinRequest = z.infer<typeof joinRequestSchema>

export const serverMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    folders: z.array(z.object({ path: z.string(), workspaceId: z.string() })),
  }),
  z.object({ type: z.literal('call'), id, call: joinRequestSchema }),
  z.object({ type: z.literal('abort'), id }),
  z.object({ type: z.literal('drop'), sessionId: idSchema, agentId: idSchema.optional() }),
])
export type ServerMessage = z.infer<typeof serverMessageSchema>

export const nodeMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    name: nodeNameSchema,
    instance: z.string().max(64).describe('new with every start'),
    system: z.string().max(200).describe('operating system, for the model'),
    folders: z.array(z.string().min(1).max(4096)).min(1).max(50),
  }),
  z.object({ type: z.literal('renew'), ticket: z.string().max(4096) }),
  z.object({ type: z.literal('progress'), id, delta: z.unknown() }),
  z.object({
    type: z.literal('emit'),
    id,
    name: z.string().max(64),
    data: z.unknown(),
    options: z.object({ id: z.string().optional(), transient: z.boolean().optional() }).optional(),
  }),
  z.object({
    type: z.literal('result'),
    id,
    value: z.unknown(),
    blobs: z
      .array(z.object({ mediaType: z.string().max(200), base64: z.string() }))
      .optional()
      .describe('named in the value by their hash'),
  }),
  z.object({ type: z.literal('error'), id, message: z.string(), code: z.string().optional() }),
])
export type NodeMessage = z.infer<typeof nodeMessageSchema>

/** The part of a decision that the server needs. The rest stays on the computer. */
export const joinDecisionSchema = z.object({
  decision: effectSchema,
  reason: z.string(),
  rule: z.string().nullable(),
  firm: z.literal(true).optional(),
  remember: z.array(z.string()).optional(),
  commands: z.array(z.object({ text: z.string(), note: z.string().optional() })).optional(),
  confinement: z.enum(['none', 'workspace', 'read-only']).optional(),
})

export const joinReductionSchema = z.object({
  input: z.unknown(),
  accepted: z.number(),
  total: z.number(),
  rejected: z.string(),
})

export const joinOutputSchema = z.object({ output: z.unknown(), modelText: z.string().optional() })
