import { Socket } from 'node:net'
import path from 'node:path'
import { changedFile, type QueryMessage, type QueryProcessRequest, requestSchema } from './messages.ts'
import { type Rows, sendRows } from './rows.ts'

/*
 * Runs one statement and ends. The request is the first line of the input, and a second line confirms a change. The
 * parent keeps the input open and ends this process by closing it. The connection to a database server is file 3, which the parent relays to that server.
 */
let input = ''
let isStarted = false
const confirmed = Promise.withResolvers<void>()
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text: string) => {
  input += text
  for (let end = input.indexOf('\n'); end !== -1; end = input.indexOf('\n')) {
    const line = input.slice(0, end)
    input = input.slice(end + 1)
    if (isStarted) confirmed.resolve()
    else void respond(line)
    isStarted = true
  }
})
process.stdin.on('end', () => process.exit(1))

async function respond(line: string): Promise<void> {
  let secret = ''
  try {
    const request = requestSchema.parse(JSON.parse(line))
    if ('server' in request) secret = request.server.password
    await answer(request)
  } catch (error) {
    const message = messageOf(error)
    send({ type: 'error', message: secret === '' ? message : message.replaceAll(secret, '…') })
  }
  process.stdout.write('', () => process.exit(0))
}

async function answer(request: QueryProcessRequest): Promise<void> {
  if ('write' in request && request.write !== undefined) {
    send({ type: 'end', rowCount: await change(request), counted: true })
    return
  }
  if (request.save === undefined) return sendRows(await open(request), request.limits, send)
  const file = path.join(request.temporary, `export.${request.save}`)
  const { saveRows } = await import('./save.ts')
  send({ type: 'end', rowCount: await saveRows(await open(request), request.save, file), counted: true })
}

async function change(request: QueryProcessRequest): Promise<number> {
  const { writeMysql, writePostgres, writeSqlite } = await import('./write.ts')
  const confirm = (): Promise<void> => {
    send({ type: 'locked' })
    return confirmed.promise
  }
  if (request.engine === 'sqlite') return writeSqlite(request, confirm)
  if (request.engine === 'duckdb')
    return (await import('./change-file.ts')).changeFile(request, path.join(request.temporary, changedFile))
  return (request.engine === 'postgres' ? writePostgres : writeMysql)(request, serverSocket(), send)
}

async function open(request: QueryProcessRequest): Promise<Rows> {
  switch (request.engine) {
    case 'duckdb':
      return (await import('./duckdb.ts')).queryFiles(request)
    case 'sqlite':
      return (await import('./sqlite.ts')).querySqlite(request)
    case 'postgres':
      return (await import('./postgres.ts')).queryPostgres(request, serverSocket(), send)
    case 'mysql': {
      const { killMysql, queryMysql } = await import('./mysql.ts')
      return (request.kill === undefined ? queryMysql : killMysql)(request, serverSocket(), send)
    }
  }
}

function serverSocket(): Socket {
  return new Socket({ fd: 3, readable: true, writable: true })
}

function send(message: QueryMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(0, 2000)
}
