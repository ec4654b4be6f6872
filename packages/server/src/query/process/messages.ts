import { z } from 'zod'

const limitsSchema = z.object({
  /** Most rows to send. All rows are counted. */
  rows: z.int(),
  /** Time for the statement. */
  ms: z.int(),
  /** Time for counting the rows that are not sent. */
  countMs: z.int(),
  memoryMb: z.int(),
  /** Longest value to send, in characters. */
  cell: z.int(),
})

const fileSchema = z.object({
  name: z.string(),
  paths: z.array(z.string()),
  sheet: z.string().optional(),
})

const saveSchema = z.enum(['csv', 'xlsx', 'parquet'])
export type SaveFormat = z.infer<typeof saveSchema>

const serverSchema = z.object({
  /** Host name that the server's certificate must match. */
  host: z.string(),
  user: z.string(),
  password: z.string(),
  database: z.string(),
  tls: z.union([z.literal(false), z.object({ verify: z.boolean(), ca: z.string().optional() })]),
})
export type ServerLogin = z.infer<typeof serverSchema>

/** The one line that a query process reads. It holds passwords, so it goes through a pipe and nowhere else. */
export const requestSchema = z.discriminatedUnion('engine', [
  z.object({
    engine: z.literal('duckdb'),
    sql: z.string(),
    files: z.array(fileSchema),
    cwd: z.string(),
    /** Folder for what does not fit into memory, and for the export. */
    temporary: z.string(),
    limits: limitsSchema,
    save: saveSchema.optional(),
    write: z.enum(['dry', 'commit']).optional(),
    /** The file whose rows the statement changes. */
    target: z.object({ path: z.string() }).optional(),
  }),
  z.object({
    engine: z.literal('sqlite'),
    sql: z.string(),
    path: z.string(),
    /** Views of our own database. Nothing else of it can be read. */
    views: z.record(z.string(), z.string()).optional(),
    write: z.enum(['dry', 'commit']).optional(),
    limits: limitsSchema,
    temporary: z.string(),
    save: saveSchema.optional(),
  }),
  z.object({
    engine: z.enum(['postgres', 'mysql']),
    sql: z.string(),
    server: serverSchema,
    write: z.enum(['dry', 'commit']).optional(),
    /** Ends the statement that this session of the server runs. */
    kill: z.int().optional(),
    limits: limitsSchema,
    temporary: z.string(),
    save: saveSchema.optional(),
  }),
])
/** Name of the changed file in the temporary folder. */
export const changedFile = 'changed'

export type QueryProcessRequest = z.infer<typeof requestSchema>
export type EngineRequest<Name extends QueryProcessRequest['engine']> = Extract<QueryProcessRequest, { engine: Name }>
export type QueryLimits = z.infer<typeof limitsSchema>

const columnSchema = z.object({
  name: z.string(),
  type: z.string(),
  kind: z.enum(['number', 'text', 'boolean', 'time', 'other']),
})
export type Column = z.infer<typeof columnSchema>
export type Cell = string | null

/** A line that a query process writes. */
export const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('columns'), columns: z.array(columnSchema) }),
  z.object({ type: z.literal('rows'), rows: z.array(z.array(z.string().nullable())) }),
  /** Identifies the session at the server, to end its statement. */
  z.object({ type: z.literal('session'), id: z.int(), secret: z.int().optional() }),
  /** The database is locked. The process waits for a line before it changes anything. */
  z.object({ type: z.literal('locked') }),
  z.object({ type: z.literal('end'), rowCount: z.int(), counted: z.boolean() }),
  z.object({ type: z.literal('error'), message: z.string() }),
])
export type QueryMessage = z.infer<typeof messageSchema>
