import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { connect, type NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type {
  Queries,
  QueryCall,
  QueryColumn,
  QueryRequest,
  QueryResult,
  QuerySave,
  QuerySource,
  QueryWrite,
  Sandbox,
  SavedQuery,
} from '@troupe/core'
import { checkReads, checkWrites } from './check-sql.ts'
import {
  addressOf,
  type Connections,
  databaseFile,
  listConnections,
  loginOf,
  type ServerConnection,
} from './connections.ts'
import { ownViews } from './own-data.ts'
import { changedFile, type QueryLimits, type QueryMessage } from './process/messages.ts'
import { type ChildOptions, type ChildRequest, runInChild } from './query-child.ts'

export interface QueriesOptions {
  connections(): Connections
  /** False if there are accounts: the chats of a folder belong to several people. Default: true. */
  hasOwnData?: boolean
  /** Folder of our own database. */
  home: string
  sandbox?: Sandbox | undefined
  limits?: Partial<QueryLimits>
  /** Maximum concurrent statements. */
  processes?: number
}

const defaultLimits: QueryLimits = { rows: 100, ms: 60_000, countMs: 5000, memoryMb: 1024, cell: 5000 }

/** Time for saving all rows. */
const saveMs = 600_000

/** Query of a source: the request without statement, the files it needs, and the server it reaches. */
interface Target {
  request: ChildRequest
  readable: string[]
  address?: NetConnectOpts
  server?: ServerConnection
}

/** Runs each statement in a separate process. */
export function openQueries(options: QueriesOptions): Queries & { close(): void } {
  const { processes = 2 } = options
  const closing = new AbortController()
  const waiting: (() => void)[] = []
  let busy = 0

  return {
    connections: () =>
      listConnections(options.connections()).filter(({ type }) => type !== 'troupe' || options.hasOwnData !== false),
    run: (request, call) => inTurn(call, (own) => runOne(request, own)),
    save: (request, call) => inTurn(call, (own) => saveOne(request, own)),
    write: (request, call) => inTurn(call, (own) => writeOne(request, { ...own, onLocked: call.onLocked })),
    close() {
      closing.abort(new Error('The server is closing.'))
    },
  }

  function placeOf({ isolation }: QueryCall): Pick<ChildOptions, 'sandbox' | 'isolation'> {
    return { sandbox: isolation?.sandbox ?? options.sandbox, isolation }
  }

  async function inTurn<Result>(call: QueryCall, work: (call: QueryCall) => Promise<Result>): Promise<Result> {
    const signal = AbortSignal.any([call.signal, closing.signal])
    await enter(signal)
    try {
      return await work({ ...call, signal })
    } finally {
      leave()
    }
  }

  async function saveOne({ source, sql, format }: QuerySave, call: QueryCall): Promise<SavedQuery> {
    const limits = { ...defaultLimits, ...options.limits, ms: saveMs }
    const { request, readable, address } = targetOf(source, sql, call, limits)
    const file = path.join(tmpdir(), `troupe-export-${randomUUID()}.${format}`)
    let rowCount = 0
    await runInChild(
      { ...request, save: format },
      {
        ...placeOf(call),
        readable,
        address,
        signal: call.signal,
        ms: saveMs,
        keep: { name: `export.${format}`, to: file },
        onMessage: (message) => {
          if (message.type === 'end') ({ rowCount } = message)
        },
        ...(call.process !== undefined && { onStart: call.process }),
      },
    )
    return { path: file, size: (await stat(file)).size, rowCount }
  }

  async function writeOne(
    { source, sql, step, target }: QueryWrite,
    call: QueryCall & { onLocked?: (() => Promise<void>) | undefined },
  ): Promise<{ rowCount: number; path?: string }> {
    const limits = { ...defaultLimits, ...options.limits }
    const { request, readable, address } =
      source.kind === 'files'
        ? fileTarget(source, sql, { step, target, limits })
        : writeTarget(source, sql, step, limits)
    const changed =
      request.engine === 'duckdb' && step === 'commit'
        ? path.join(tmpdir(), `troupe-change-${randomUUID()}`)
        : undefined
    let rowCount = 0
    await runInChild(request, {
      ...placeOf(call),
      readable,
      address,
      writable: request.engine === 'sqlite' && step === 'commit' ? path.dirname(request.path) : undefined,
      signal: call.signal,
      ms: limits.ms,
      keep: changed === undefined ? undefined : { name: changedFile, to: changed },
      onMessage: (message) => {
        if (message.type === 'end') ({ rowCount } = message)
      },
      ...(call.onLocked !== undefined && { onLocked: call.onLocked }),
      ...(call.process !== undefined && { onStart: call.process }),
    })
    return { rowCount, ...(changed !== undefined && { path: changed }) }
  }

  /** The process reads the file and writes the changed one into its temporary folder. */
  function fileTarget(
    source: Extract<QuerySource, { kind: 'files' }>,
    sql: string,
    { step, target, limits }: { step: 'dry' | 'commit'; target: string | undefined; limits: QueryLimits },
  ): Target {
    if (target === undefined) throw new Error('The statement names no file to change.')
    const { request, readable } = filesTarget(source, sql, limits)
    return {
      request: { ...request, write: step, target: { path: target } },
      readable: [...readable, target],
    }
  }

  function writeTarget(
    source: Exclude<QuerySource, { kind: 'files' }>,
    sql: string,
    write: 'dry' | 'commit',
    limits: QueryLimits,
  ): Target {
    const file = source.kind === 'sqlite' ? source.path : undefined
    const connection = source.kind === 'connection' ? connectionNamed(source.name) : undefined
    if (connection !== undefined && connection.write !== true)
      throw new Error('The config does not allow changes of this connection ("write"). Ask the user.')
    if (connection === undefined || connection.type === 'sqlite') {
      const database = file ?? databaseFile(connection?.path ?? '')
      const statement = checkWrites(sql, 'sqlite')
      return {
        request: { engine: 'sqlite', path: database, sql: statement, write, limits },
        readable: databaseFiles(database),
      }
    }
    const { type } = connection
    return {
      request: { engine: type, sql: checkWrites(sql, type), server: loginOf(connection), write, limits },
      readable: [],
      address: addressOf(connection),
      server: connection,
    }
  }

  function connectionNamed(name: string): Connections[string] {
    const connections = options.connections()
    const found = Object.hasOwn(connections, name) ? connections[name] : undefined
    if (found !== undefined) return found
    if (name === 'troupe') throw new Error('The data of Troupe can only be read.')
    const names = listConnections(connections).map((one) => one.name)
    throw new Error(`There is no connection "${name}". There are: ${names.join(', ')}.`)
  }

  async function runOne(given: QueryRequest, call: QueryCall): Promise<QueryResult> {
    const started = performance.now()
    const limits = { ...defaultLimits, ...options.limits, rows: given.limit }
    const { request, readable, address, server } = targetOf(given.source, given.sql, call, limits)
    const columns: QueryColumn[] = []
    const rows: (string | null)[][] = []
    let end = { rowCount: 0, counted: false }
    let session: Extract<QueryMessage, { type: 'session' }> | undefined
    const onMessage = (message: QueryMessage): void => {
      if (message.type === 'columns') columns.push(...message.columns)
      else if (message.type === 'rows') for (const row of message.rows) rows.push(row)
      else if (message.type === 'session') session = message
      else if (message.type === 'end') end = message
    }
    try {
      await runInChild(request, {
        ...placeOf(call),
        readable,
        address,
        signal: call.signal,
        ms: limits.ms,
        onMessage,
        ...(call.process !== undefined && { onStart: call.process }),
      })
    } finally {
      // The server continues until it is told to stop.
      if (server !== undefined && session !== undefined && !end.counted) void cancel(server, session, call)
    }
    return { columns, rows, rowCount: end.rowCount, counted: end.counted, ms: Math.round(performance.now() - started) }
  }

  function targetOf(source: QuerySource, sql: string | undefined, call: QueryCall, limits: QueryLimits): Target {
    if (source.kind === 'files') return filesTarget(source, sql ?? '', limits)
    if (source.kind === 'sqlite') return sqliteTarget(source.path, sql, limits)
    if (source.name === 'troupe') {
      if (options.hasOwnData === false)
        throw new Error('The data of Troupe cannot be queried, since it belongs to several people.')
      const file = path.join(options.home, 'troupe.db')
      const statement = sql === undefined ? listTables.troupe : checkReads(sql, 'sqlite')
      return {
        request: { engine: 'sqlite', path: file, views: ownViews(call.workspace.id), sql: statement, limits },
        readable: databaseFiles(file),
      }
    }
    const connection = connectionNamed(source.name)
    if (connection.type === 'sqlite') return sqliteTarget(databaseFile(connection.path), sql, limits)
    const { type } = connection
    const statement = sql === undefined ? listTables[type] : checkReads(sql, type)
    return {
      request: { engine: type, sql: statement, server: loginOf(connection), limits },
      readable: [],
      address: addressOf(connection),
      server: connection,
    }
  }

  /** Ends the statement at the server. Its own time limit ends it otherwise. */
  async function cancel(
    server: ServerConnection,
    session: { id: number; secret?: number | undefined },
    call: QueryCall,
  ): Promise<void> {
    if (server.type === 'postgres') return cancelPostgres(addressOf(server), session)
    await runInChild(
      {
        engine: 'mysql',
        sql: '',
        server: loginOf(server),
        kill: session.id,
        limits: { ...defaultLimits, ...options.limits },
      },
      {
        ...placeOf(call),
        readable: [],
        address: addressOf(server),
        signal: AbortSignal.timeout(10_000),
        ms: 10_000,
        onMessage: () => undefined,
      },
    ).catch(() => undefined)
  }

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (busy < processes) {
      busy++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      const stop = (): void => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', stop, { once: true })
      waiting.push(go)
    })
  }

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) busy--
    else next()
  }
}

function filesTarget({ files: given, cwd }: Extract<QuerySource, { kind: 'files' }>, sql: string, limits: QueryLimits) {
  const files = given.map(({ name, paths, sheet }) => ({ name, paths: [...paths], ...(sheet && { sheet }) }))
  const request = { engine: 'duckdb' as const, sql, files, cwd, limits }
  return { request, readable: files.flatMap(({ paths }) => paths) }
}

function sqliteTarget(file: string, sql: string | undefined, limits: QueryLimits): Target {
  const statement = sql === undefined ? listTables.sqlite : checkReads(sql, 'sqlite')
  return { request: { engine: 'sqlite', path: file, sql: statement, limits }, readable: databaseFiles(file) }
}

function databaseFiles(file: string): string[] {
  return ['', '-wal', '-shm', '-journal'].map((end) => file + end).filter((one) => existsSync(one))
}

const sqliteColumns = `m.name as "table", p.name as "column", p.type`
const serverColumns = `table_schema as "schema", table_name as "table", column_name as "column", data_type as "type"`

const listTables = {
  sqlite: `select ${sqliteColumns} from sqlite_schema m, pragma_table_info(m.name) p where m.type in ('table', 'view') and m.name not like 'sqlite_%' order by m.name, p.cid`,
  troupe: `select ${sqliteColumns} from sqlite_temp_schema m, pragma_table_info(m.name) p where m.name not like 'own\\_%' escape '\\' order by m.name, p.cid`,
  postgres: `select ${serverColumns} from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema') order by table_schema, table_name, ordinal_position`,
  mysql: `select ${serverColumns.replaceAll('"', '`')} from information_schema.columns where table_schema = database() order by table_name, ordinal_position`,
}

const cancelCode = 80_877_102

function cancelPostgres(
  address: NetConnectOpts,
  { id, secret = 0 }: { id: number; secret?: number | undefined },
): void {
  const request = Buffer.alloc(16)
  request.writeInt32BE(16, 0)
  request.writeInt32BE(cancelCode, 4)
  request.writeInt32BE(id, 8)
  request.writeInt32BE(secret, 12)
  const socket = connect({ ...address, timeout: 5000 })
  socket.on('error', () => socket.destroy()).on('timeout', () => socket.destroy())
  socket.end(request)
}
