import { execFile, spawn } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** These servers refuse to run as root, and another user cannot reach the private folder of a test run. */
const [memory, disk] = ['/dev/shm', '/tmp']
const roomBytes = 512 * 1024 * 1024

export interface ServerFolder {
  folder: string
  /** The user that runs the server. */
  as: { uid?: number; gid?: number }
}

/** A folder that another user may own, in memory where there is room. `npm test` removes those of interrupted runs. */
export function createServerFolder(name: string): ServerFolder {
  const hasMemory = existsSync(memory) && statfsSync(memory).bavail * statfsSync(memory).bsize > roomBytes
  const folder = mkdtempSync(path.join(hasMemory ? memory : disk, `troupe-tests-${process.pid}-${name}-`))
  if (process.getuid?.() !== 0) return { folder, as: {} }
  const [, uid = '', gid = ''] = /^nobody:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  chownSync(folder, Number(uid), Number(gid))
  return { folder, as: { uid: Number(uid), gid: Number(gid) } }
}

/** Folder of Postgres' programs, if it is installed. */
export function findPostgres(): string | undefined {
  const base = '/usr/lib/postgresql'
  const versions = existsSync(base) ? readdirSync(base).toSorted((a, b) => Number(a) - Number(b)) : []
  const folders = ['/usr/local/bin', ...versions.map((version) => path.join(base, version, 'bin'))]
  return folders.findLast((folder) => existsSync(path.join(folder, 'initdb')))
}

interface PostgresServer {
  port: number
  pid: number
}

/** Starts a server with the superuser `troupe`, for tests: it keeps nothing after a power failure. */
export async function startPostgresServer(
  programs: string,
  { folder, as }: ServerFolder,
  { password, settings = {} }: { password?: string; settings?: Record<string, string> } = {},
): Promise<PostgresServer> {
  const data = path.join(folder, 'data')
  const args = ['-D', data, '-U', 'troupe', '--no-sync', '--no-instructions', '--locale=C.UTF-8', '--encoding=UTF8']
  if (password !== undefined) {
    const file = path.join(folder, 'password')
    writeFileSync(file, password, { mode: 0o600 })
    if (as.uid !== undefined) chownSync(file, as.uid, as.gid as number)
    args.push('-A', 'scram-sha-256', `--pwfile=${file}`)
  } else args.push('-A', 'trust')
  await run(path.join(programs, 'initdb'), args, { ...as, env: { LC_ALL: 'C.UTF-8' } })
  const port = await freePort()
  const all = { full_page_writes: 'off', max_connections: '200', deadlock_timeout: '100ms', ...settings }
  const own = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(
    path.join(programs, 'postgres'),
    ['-D', data, '-k', folder, '-p', String(port), '-h', '127.0.0.1', '-F', ...own],
    { ...as, env: { LC_ALL: 'C.UTF-8' }, stdio: 'ignore', detached: true },
  )
  child.unref()
  const pid = child.pid as number
  try {
    const ready = ['-h', '127.0.0.1', '-p', String(port), '-U', 'troupe', '-d', 'postgres']
    await retry(() => run(path.join(programs, 'pg_isready'), ready))
  } catch (error) {
    await stopPostgresServer(pid, folder)
    throw error
  }
  return { port, pid }
}

/** Ends a server at once, with its folder. */
export async function stopPostgresServer(pid: number, folder: string): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT')
  // An ended process that nobody waits for still counts as one.
  await retry(async () => {
    if (isAlive(pid) && existsSync(path.join(folder, 'data', 'postmaster.pid'))) throw new Error('it is still running')
  })
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Servers do not say when they are ready. */
export async function retry(work: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
