import { z } from 'zod'
import type { TaskInfo } from './agents.ts'
import { endpoints } from './endpoint.ts'

const side = z.int().min(1).max(1000)

const terminalSchema = z.object({
  id: z.string(),
  number: z.int().describe('tells terminals of one folder apart'),
  program: z.string().describe('name of the program in front'),
  folder: z.string().nullable().describe('where the shell is, from the open folder; null if outside'),
  columns: side,
  rows: side,
  startedAt: z.number(),
  running: z.boolean(),
  exitCode: z.number().nullable(),
})
export type TerminalInfo = z.infer<typeof terminalSchema>

const id = z.string().max(64)

/** Names the output that a message is about: a terminal of the person, or a command of a chat. */
const targetSchema = { terminalId: id.optional(), sessionId: id.optional(), taskId: id.optional() }

/** The page's messages on the socket of `GET /ai/terminals/socket`. */
export const terminalMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('watch'), channel: z.int().min(0).max(1_000_000), ...targetSchema }),
  z.object({ type: z.literal('tasks'), channel: z.int(), sessionId: id }),
  z.object({ type: z.literal('unwatch'), channel: z.int() }),
  z.object({ type: z.literal('done'), channel: z.int(), characters: z.int().min(0) }),
  z.object({ type: z.literal('input'), channel: z.int(), text: z.string().max(65_536) }),
  z.object({ type: z.literal('position'), channel: z.int(), query: z.int().min(0), row: side, column: side }),
  z.object({
    type: z.literal('hold'),
    channel: z.int(),
    held: z.boolean(),
    note: z.string().max(1000).describe('note for the chat and the agent, in the language of the page'),
  }),
  z.object({ type: z.literal('resize'), channel: z.int(), columns: side, rows: side }),
])
export type TerminalMessage = z.infer<typeof terminalMessageSchema>

/** State of watched output. The size is null if there is no terminal behind it. */
export interface WatchedState {
  columns: number | null
  rows: number | null
  running: boolean
  exitCode: number | null
  /** True if it accepts input: a terminal of the person, or one of an agent that the person has taken over. */
  typing: boolean
  /** True if the person may take it over. */
  takeable: boolean
}

/** The server's messages. `output` is filtered; `skipped` characters before it were too old to send. */
export type TerminalEvent =
  | { type: 'terminals'; terminals: TerminalInfo[] }
  | { type: 'tasks'; channel: number; tasks: TaskInfo[] }
  | { type: 'output'; channel: number; text: string; skipped: number }
  | ({ type: 'state'; channel: number } & WatchedState)
  | { type: 'gone'; channel: number }

export const terminalEndpoints = endpoints({
  'GET /ai/terminals': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Lists the terminals of the person in this folder. Only for the page.',
    scoped: true,
    answers: { 200: z.object({ terminals: z.array(terminalSchema) }), 403: 'PageOnly' },
  },
  'POST /ai/terminals': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Starts a shell of the person in this folder or one below it. Only for the page.',
    body: z.object({ columns: side.default(80), rows: side.default(24), folder: z.string().max(4096).optional() }),
    scoped: true,
    answers: {
      201: z.object({ terminal: terminalSchema }),
      400: 'BadFolder',
      403: 'PageOnly',
      409: 'TooManyTerminals',
      503: 'TerminalNotStarted',
    },
  },
  'DELETE /ai/terminals/:terminalId': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Ends a terminal and everything that runs in it. Only for the page.',
    scoped: true,
    answers: { 204: 'ended', 403: 'PageOnly', 404: 'TerminalNotFound' },
  },
  'POST /ai/terminals/ticket': {
    access: { on: 'workspace', right: 'write' },
    summary:
      'Returns a ticket that opens the WebSocket /ai/terminals/socket once, within 30 seconds, as its second subprotocol. Only for the page.',
    body: z.object({}),
    scoped: true,
    answers: { 200: z.object({ ticket: z.string() }), 403: 'PageOnly' },
  },
})
