import type { Duplex } from 'node:stream'
import mysql, { type Connection, type FieldPacket } from 'mysql2'
import type { Cell, Column, EngineRequest, QueryMessage } from './messages.ts'
import type { Batch, Rows } from './rows.ts'

type Request = EngineRequest<'postgres' | 'mysql'>

const perBatch = 500

/** Runs one statement in a read-only transaction. Rows arrive as a stream that waits for its reader. */
export async function queryMysql(
  { sql, server, limits }: Request,
  socket: Duplex,
  send: (message: QueryMessage) => void,
): Promise<Rows> {
  const connection = await connectMysql({ server, limits }, socket, send)
  await command(connection, 'start transaction read only')
  const query = connection.query({ sql, rowsAsArray: true })
  const { promise, resolve, reject } = Promise.withResolvers<FieldPacket[]>()
  query.once('error', reject)
  query.once('fields', (fields: FieldPacket[] | undefined) =>
    fields === undefined ? reject(new Error('The statement returns no rows.')) : resolve(fields),
  )
  const stream = query.stream({ highWaterMark: perBatch })
  stream.on('error', reject)
  const columns = (await promise).map(columnOf)
  return { columns, batches: batches(stream) }
}

/** Ends the statement of another session. */
export async function killMysql(
  { server, limits, kill }: Request,
  socket: Duplex,
  send: (message: QueryMessage) => void,
): Promise<Rows> {
  const connection = await connectMysql({ server, limits }, socket, send)
  await command(connection, `kill query ${kill}`)
  return { columns: [], batches: [] }
}

async function* batches(stream: AsyncIterable<unknown>): AsyncGenerator<Batch> {
  let rows: unknown[][] = []
  const batch = (given: unknown[][]): Batch => ({
    count: given.length,
    rows: () => given.map((row) => row.map(cellOf)),
  })
  for await (const row of stream) {
    rows.push(row as unknown[])
    if (rows.length < perBatch) continue
    yield batch(rows)
    rows = []
  }
  yield batch(rows)
}

export async function connectMysql(
  { server, limits }: Pick<Request, 'server' | 'limits'>,
  socket: Duplex,
  send: (message: QueryMessage) => void,
): Promise<Connection> {
  const { user, password, database, tls, host } = server
  const connection = mysql.createConnection({
    user,
    password,
    database,
    host,
    stream: socket,
    ...(tls !== false && {
      ssl: { rejectUnauthorized: tls.verify, verifyIdentity: tls.verify, ...(tls.ca && { ca: tls.ca }) },
    }),
    charset: 'utf8mb4',
    multipleStatements: false,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    decimalNumbers: false,
    jsonStrings: true,
    connectTimeout: 15_000,
    // The server must not ask for files of this machine.
    flags: ['-LOCAL_FILES'],
    typeCast: (field, next) => {
      if (field.type === 'BIT') return field.buffer()
      if (field.type === 'GEOMETRY') return field.buffer()
      if (/BLOB|STRING/.test(field.type)) return next()
      return field.string()
    },
  })
  connection.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())))
  send({ type: 'session', id: connection.threadId ?? 0 })
  // Our reading of quotes and backslashes must be the server's.
  await command(connection, "set session sql_mode = 'STRICT_TRANS_TABLES'")
  await limitTime(connection, limits.ms)
  return connection
}

/** MariaDB counts seconds, MySQL milliseconds. */
async function limitTime(connection: Connection, ms: number): Promise<void> {
  await command(connection, `set session max_statement_time = ${ms / 1000}`).catch(() =>
    command(connection, `set session max_execution_time = ${ms}`).catch(() => undefined),
  )
}

export function command(connection: Connection, sql: string): Promise<unknown> {
  return new Promise((resolve, reject) =>
    connection.query(sql, (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result))),
  )
}

const typeNames = new Map(
  Object.entries(mysql.Types).flatMap(([name, code]) => (typeof code === 'number' ? [[code, name]] : [])),
)

function columnOf({ name, columnType, decimals, columnLength }: FieldPacket): Column {
  const type = typeNames.get(columnType ?? -1) ?? ''
  const isDecimal = type === 'NEWDECIMAL' || type === 'DECIMAL'
  const kind = /^(TINY|SHORT|LONG|FLOAT|DOUBLE|LONGLONG|INT24|DECIMAL|NEWDECIMAL|YEAR)$/.test(type)
    ? 'number'
    : /^(DATE|TIME|NEWDATE)/.test(type)
      ? 'time'
      : /STRING|CHAR|ENUM|SET|BLOB/.test(type)
        ? 'text'
        : 'other'
  return {
    name,
    type: isDecimal ? `DECIMAL(${columnLength ?? ''},${decimals ?? ''})` : (plainNames[type] ?? type),
    kind,
  }
}

const plainNames: Record<string, string> = {
  TINY: 'TINYINT',
  SHORT: 'SMALLINT',
  LONG: 'INT',
  INT24: 'MEDIUMINT',
  LONGLONG: 'BIGINT',
  VAR_STRING: 'VARCHAR',
  STRING: 'CHAR',
  BLOB: 'TEXT',
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) return `0x${value.toString('hex')}`
  return typeof value === 'string' ? value : JSON.stringify(value)
}
