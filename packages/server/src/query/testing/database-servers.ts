import { execFile, spawn } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { query } from '../../testing/postgres.ts'
import {
  createServerFolder,
  findPostgres,
  freePort,
  retry,
  startPostgresServer,
  stopPostgresServer,
} from '../../testing/postgres-server.ts'
import type { ServerConnection } from '../connections.ts'

export interface DatabaseServer {
  connection: ServerConnection
  stop(): Promise<void>
}

const run = promisify(execFile)
const password = 'a-long-password'

/** Starts a Postgres server with one superuser, and runs this SQL. Undefined if it is not installed. */
export async function startPostgres(sql: string): Promise<DatabaseServer | undefined> {
  const programs = findPostgres()
  if (programs === undefined) return undefined
  const place = createServerFolder('query-postgres')
  const { port, pid } = await startPostgresServer(programs, place, { password })
  const connection = {
    type: 'postgres',
    host: '127.0.0.1',
    port,
    user: 'troupe',
    password,
    database: 'postgres',
  } as const
  const stop = (): Promise<void> => stopPostgresServer(pid, place.folder)
  try {
    await query(`postgres://troupe:${password}@127.0.0.1:${port}/postgres`, sql)
  } catch (error) {
    await stop()
    throw error
  }
  return { connection: { ...connection, write: true }, stop }
}

/** Starts a MariaDB server with one user that may do everything, and runs this SQL. */
export async function startMariadb(sql: string): Promise<DatabaseServer | undefined> {
  const [server, install] = ['/usr/sbin/mariadbd', '/usr/bin/mariadb-install-db']
  if (!existsSync(server) || !existsSync(install)) return undefined
  const { folder, as } = createServerFolder('query-mariadb')
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

/** No server outlives a failed start. */
async function orStop(child: ReturnType<typeof spawn>, folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await stop(child, folder, 'SIGKILL')
    throw error
  }
}

async function stop(child: ReturnType<typeof spawn>, folder: string, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
  rmSync(folder, { recursive: true, force: true })
}
