import { setTimeout as sleep } from 'node:timers/promises'
import { NamedError } from '@troupe/protocol'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Log } from '../sql/context.ts'

export interface PostgresPoolOptions {
  url: string
  /** Maximum connections of this process. */
  max?: number
  /** Limit of a statement. */
  statementMs?: number
  /** Limit of waiting for a lock. */
  lockMs?: number
  /** Limit of connecting, and of waiting for the answer to a statement beyond its own limit. */
  connectMs?: number
  /** A restart of the server takes a moment, so a new connection is tried for this long. */
  patienceMs?: number
  /** A query that runs with the begin of each transaction, without a further round trip. Rows make it throw. */
  guard?: Guard
  log: Log
}

export interface Guard {
  sql: string
  error(row: Record<string, unknown>): Error
}

export interface Pool extends PostgresPool {
  /** Runs one statement on any connection. */
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

/** The server ends a transaction that is idle for this long. */
const idleTransactionMs = 60_000
const idleMs = 30_000
const defaultConnectMs = 10_000

/**
 * Connections to Postgres for Kysely. Adds what `pg` leaves to its users: a lost connection is an error of the statement
 * and never ends the process, the next one connects again, and texts may contain U+0000, which becomes U+FFFD.
 */
export function createPostgresPool({
  url,
  max = 10,
  statementMs = 60_000,
  lockMs = 15_000,
  connectMs = defaultConnectMs,
  patienceMs = 5000,
  guard,
  log,
}: PostgresPoolOptions): Pool {
  const settings = {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
    default_transaction_isolation: "'read committed'",
    // Compiling takes longer than our queries.
    jit: 'off',
    // For disks without moving parts. With the default, search reads all texts instead of its indexes.
    random_page_cost: 1.1,
  }
  const options = {
    ...clientOptions(url, connectMs),
    max,
    idleTimeoutMillis: idleMs,
    // The server ends a statement first, if it can be reached.
    query_timeout: statementMs === 0 ? 0 : statementMs + connectMs,
    // As statements, since a pooler between refuses them as options of the connection.
    onConnect: (client: pg.ClientBase) =>
      client.query(
        Object.entries(settings)
          .map(([name, value]) => `set ${name} = ${value}`)
          .join('; '),
      ),
  }
  const pool = new pg.Pool(options as pg.PoolConfig)
  // Without a listener, the loss of an idle connection would end the process.
  pool.on('error', (error) => log({ level: 'warn', message: `a database connection was lost: ${error.message}` }))
  // So would that of a connection in use.
  const lost = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client) => client.on('error', () => void lost.add(client)))
  let isEnded = false

  async function connect(): Promise<pg.PoolClient> {
    const until = performance.now() + patienceMs
    for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 1000)) {
      try {
        return await pool.connect()
      } catch (error) {
        if (!isConnectionLost(error)) throw error
        if (isEnded || performance.now() + pauseMs > until) throw unavailable(error, { isSent: false })
        await sleep(pauseMs)
      }
    }
  }

  return {
    options: {},
    async connect(): Promise<PostgresPoolClient> {
      const client = await connect()
      let isLost = false
      const query = async (sql: string, parameters: readonly unknown[]) => {
        if (lost.has(client)) throw unavailable('The connection was lost before.', { isSent: false })
        try {
          if (sql === 'begin' && guard !== undefined) return await beginChecked(client, guard)
          return await client.query(sql, parameters.map(withoutNull))
        } catch (error) {
          // A server that became read-only was replaced by another.
          isLost ||= isConnectionLost(error) || codeOf(error) === '25006'
          throw isConnectionLost(error) ? unavailable(error) : error
        }
      }
      return {
        query: query as unknown as PostgresPoolClient['query'],
        release: (discard) => client.release(isLost || lost.has(client) || discard),
      }
    },
    async query(statement) {
      const client = await connect()
      let failure: unknown
      try {
        return await client.query(statement)
      } catch (error) {
        failure = error
        throw isConnectionLost(error) ? unavailable(error) : error
      } finally {
        client.release(isConnectionLost(failure))
      }
    },
    async end() {
      isEnded = true
      await pool.end()
    },
  }
}

async function beginChecked(client: pg.PoolClient, { sql, error }: Guard): Promise<pg.QueryResult> {
  const results = await client.query(`begin; ${sql}`)
  const [begun, checked] = results as unknown as [pg.QueryResult, pg.QueryResult<Record<string, unknown>>]
  const row = checked.rows[0]
  if (row === undefined) return begun
  await client.query('rollback')
  throw error(row)
}

/** Options of every connection. */
export function clientOptions(url: string, connectMs = defaultConnectMs): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    application_name: 'troupe',
    keepAlive: true,
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
  }
}

const int8 = 20

/** Our integers are below 2^53. */
function typeParser(type: number, format: 'text' | 'binary' = 'text'): unknown {
  return type === int8 && format === 'text' ? Number : pg.types.getTypeParser(type, format as 'text')
}

function withoutNull(parameter: unknown): unknown {
  return typeof parameter === 'string' && parameter.includes('\0') ? parameter.replaceAll('\0', '\uFFFD') : parameter
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const systemCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']
/** Shut down, crashed, starting, too many connections, idle in a transaction for too long. */
const serverCodes = ['57P01', '57P02', '57P03', '53300', '25P03']
const lostCodes = new Set([...systemCodes, ...serverCodes])

/** The driver has no codes for some of its own errors. */
const lostMessages = /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|timeout exceeded)/

export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return lostCodes.has(code) || code.startsWith('08') || (code === '' && lostMessages.test(error.message))
}

/** `isSent`: the statement may have been executed. */
function unavailable(cause: unknown, { isSent = true } = {}): NamedError {
  return new NamedError('DatabaseUnavailable', 'The database cannot be reached. Try again in a moment.', {
    status: 503,
    cause,
    data: { isSent },
  })
}

/** True for an error of a statement that cannot have been executed. */
export function isUnsent(error: unknown): boolean {
  return error instanceof NamedError && error.name === 'DatabaseUnavailable' && error.data['isSent'] === false
}
