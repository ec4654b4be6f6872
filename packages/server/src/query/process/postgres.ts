import type { Duplex } from 'node:stream'
import { Client, type FieldDef } from 'pg'
import type { Cell, Column, EngineRequest, QueryMessage } from './messages.ts'
import type { Batch, Rows } from './rows.ts'

type Request = EngineRequest<'postgres' | 'mysql'>

const perFetch = 500

/**
 * Runs one statement in a read-only transaction, through a cursor. The extended protocol takes one statement only, and
 * a cursor takes only one that returns rows.
 */
export async function queryPostgres(
  { sql, server, limits }: Request,
  socket: Duplex,
  send: (message: QueryMessage) => void,
): Promise<Rows> {
  const client = await connectPostgres({ server, limits }, socket, send)
  await client.query(`begin transaction isolation level repeatable read, read only`)
  const isShown = /^\s*(show|explain)\b/i.test(sql)
  if (isShown) {
    const { fields, rows } = await run(client, sql)
    const columns = await columnsOf(client, fields)
    return { columns, batches: [{ count: rows.length, rows: () => rows }] }
  }
  await run(client, `declare troupe_rows no scroll cursor for ${sql}\n`)
  const first = await run(client, `fetch forward ${perFetch} from troupe_rows`)
  return {
    columns: await columnsOf(client, first.fields),
    batches: fetches(),
    async countRest() {
      const { rowCount } = await client.query('move forward all from troupe_rows')
      return rowCount ?? 0
    },
  }

  async function* fetches(): AsyncGenerator<Batch> {
    for (
      let { rows } = first;
      rows.length > 0;
      { rows } = await run(client, `fetch forward ${perFetch} from troupe_rows`)
    ) {
      const current = rows
      yield { count: current.length, rows: () => current }
      if (current.length < perFetch) return
    }
  }
}

export async function connectPostgres(
  { server, limits }: Pick<Request, 'server' | 'limits'>,
  socket: Duplex,
  send: (message: QueryMessage) => void,
): Promise<Client> {
  const { user, password, database, tls, host } = server
  const client = new Client({
    user,
    password,
    database,
    host,
    stream: () => connected(socket),
    ssl: tls === false ? false : { rejectUnauthorized: tls.verify, servername: host, ...(tls.ca && { ca: tls.ca }) },
    statement_timeout: limits.ms,
    idle_in_transaction_session_timeout: limits.ms + 60_000,
    connectionTimeoutMillis: 15_000,
    application_name: 'troupe',
    types: { getTypeParser: () => String },
  } as ConstructorParameters<typeof Client>[0])
  client.on('error', () => undefined)
  await client.connect()
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
  send({ type: 'session', id: processID, secret: secretKey })
  await client.query('set standard_conforming_strings = on')
  return client
}

/** The driver opens the connection itself, but ours is open already. */
function connected(socket: Duplex): Duplex {
  return Object.assign(socket, {
    connect: () => {
      setImmediate(() => socket.emit('connect'))
      return socket
    },
    setNoDelay: () => socket,
    setKeepAlive: () => socket,
  })
}

async function run(client: Client, text: string): Promise<{ fields: FieldDef[]; rows: Cell[][] }> {
  // The extended protocol refuses several statements in one text.
  const given = { text, rowMode: 'array' as const, queryMode: 'extended' }
  const { fields, rows } = await client.query<Cell[]>(given)
  return { fields, rows }
}

async function columnsOf(client: Client, fields: readonly FieldDef[]): Promise<Column[]> {
  const list = fields.map(({ dataTypeID, dataTypeModifier }) => `format_type(${dataTypeID}, ${dataTypeModifier})`)
  if (list.length === 0) return []
  const { rows } = await run(client, `select ${list.join(', ')}`)
  return fields.map(({ name }, index) => {
    const type = rows[0]?.[index] ?? ''
    return { name, type, kind: kindOf(type) }
  })
}

function kindOf(type: string): Column['kind'] {
  if (/^(smallint|integer|bigint|numeric|real|double precision|money)/.test(type)) return 'number'
  if (type === 'boolean') return 'boolean'
  if (/^(date|time)/.test(type)) return 'time'
  return /^(text|character|name|uuid|citext)/.test(type) ? 'text' : 'other'
}
