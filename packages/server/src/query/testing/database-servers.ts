import { execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import type { ServerConnection } from '../connections.ts'

export interface DatabaseServer {
  connection: ServerConnection
  stop(): Promise<void>
}

const run = promisify(execFile)
const password = 'a-long-password'
/** Database servers run as another user, who cannot reach the private folder of a test run. */
const publicFolder = '/tmp'

/** Starts a Postgres server with one superuser, and runs this SQL. Undefined if it is not installed. */
export async function startPostgres(sql: string): Promise<DatabaseServer | undefined> {
  const programs = findFolder('/usr/lib/postgresql', 'bin', 'initdb') ?? findFolder('/usr', 'local/bin', 'initdb')
  if (programs === undefined) return undefined
  const folder = mkdtempSync(path.join(publicFolder, 'query-postgres-'))
  const as = own(folder)
  const data = path.join(folder, 'data')
  const passwordFile = path.join(folder, 'password')
  writeFileSync(passwordFile, password)
  if (as.uid !== undefined) chownSync(passwordFile, as.uid, as.gid as number)
  await run(
    `${programs}/initdb`,
    ['-D', data, '-U', 'troupe', '-A', 'scram-sha-256', '--no-sync', `--pwfile=${passwordFile}`],
    { ...as, env: {} },
  )
  const port = await freePort()
  const child = spawn(`${programs}/postgres`, ['-D', data, '-k', folder, '-p', String(port), '-h', '127.0.0.1', '-F'], {
    ...as,
    env: {},
    stdio: 'ignore',
  })
  const connection = {
    type: 'postgres',
    host: '127.0.0.1',
    port,
    user: 'troupe',
    password,
    database: 'postgres',
    write: true,
  } as const
  const login = { PGPASSWORD: password }
  const psql = (text: string) =>
    run(`${programs}/psql`, ['-h', folder, '-p', String(port), '-U', 'troupe', '-d', 'postgres', '-c', text], {
      env: login,
    })
  await orStop(child, folder, async () => {
    await retry(() => psql('select 1'))
    await psql(sql)
  })
  return { connection, stop: () => stop(child, folder, 'SIGQUIT') }
}

/** Starts a MariaDB server with one user that may do everything, and runs this SQL. */
export async function startMariadb(sql: string): Promise<DatabaseServer | undefined> {
  const [server, install] = ['/usr/sbin/mariadbd', '/usr/bin/mariadb-install-db']
  if (!existsSync(server) || !existsSync(install)) return undefined
  const folder = mkdtempSync(path.join(publicFolder, 'query-mariadb-'))
  const as = own(folder)
  const data = path.join(folder, 'data')
  const setup = path.join(folder, 'setup.sql')
  const statements = [
    `create user 'troupe'@'%' identified by '${password}'`,
    "grant all on *.* to 'troupe'@'%'",
    'create database own',
    'use own',
    ...sql.split('; '),
  ]
  writeFileSync(setup, statements.map((one) => `${one};\n`).join(''))
  chmodSync(setup, 0o644)
  await run(
    install,
    ['--no-defaults', `--datadir=${data}`, '--skip-test-db', '--auth-root-authentication-method=normal'],
    { ...as, env: { PATH: process.env['PATH'] } },
  )
  const port = await freePort()
  const child = spawn(
    server,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${folder}/socket`,
      `--pid-file=${folder}/pid`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--init-file=${setup}`,
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=0',
    ],
    { ...as, env: {}, stdio: 'ignore' },
  )
  const connection = {
    type: 'mysql',
    host: '127.0.0.1',
    port,
    user: 'troupe',
    password,
    database: 'own',
    write: true,
  } as const
  const { createConnection } = await import('mysql2/promise')
  await orStop(child, folder, () =>
    retry(async () => {
      const { type: _, write: __, ...login } = connection
      const client = await createConnection(login)
      await client.query('select * from people')
      await client.end()
    }),
  )
  return { connection, stop: () => stop(child, folder, 'SIGKILL') }
}

/** These servers refuse to run as root. */
function own(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [, uid = '', gid = ''] = /^nobody:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  chownSync(folder, Number(uid), Number(gid))
  return { uid: Number(uid), gid: Number(gid) }
}

function findFolder(base: string, below: string, program: string): string | undefined {
  if (existsSync(path.join(base, below, program))) return path.join(base, below)
  const versions = existsSync(base) ? readdirSync(base) : []
  return versions
    .map((version) => path.join(base, version, below))
    .findLast((one) => existsSync(path.join(one, program)))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** No server outlives a failed start. */
async function orStop(child: ReturnType<typeof spawn>, folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await stop(child, folder, 'SIGKILL')
    throw error
  }
}

/** Servers do not say when they are ready. */
async function retry(work: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

async function stop(child: ReturnType<typeof spawn>, folder: string, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
  rmSync(folder, { recursive: true, force: true })
}
