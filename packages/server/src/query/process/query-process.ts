import { Socket } from 'node:net'
import { type QueryMessage, type QueryProcessRequest, requestSchema } from './messages.ts'
import { type Rows, sendRows } from './rows.ts'

/*
 * Runs one statement and ends. The request is the first line of the input; the parent keeps the input open and ends
 * this process by closing it. The connection to a database server is file 3, which the parent relays to that server.
 */
let input = ''
let isStarted = false
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text: string) => {
  if (isStarted) return
  input += text
  const end = input.indexOf('\n')
  if (end === -1) return
  isStarted = true
  void respond(input.slice(0, end))
  input = ''
})
process.stdin.on('end', () => process.exit(1))

async function respond(line: string): Promise<void> {
  let secret = ''
  try {
    const request = requestSchema.parse(JSON.parse(line))
    if ('server' in request) secret = request.server.password
    const rows = await open(request)
    await sendRows(rows, request.limits, send)
  } catch (error) {
    const message = messageOf(error)
    send({ type: 'error', message: secret === '' ? message : message.replaceAll(secret, '…') })
  }
  process.stdout.write('', () => process.exit(0))
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
