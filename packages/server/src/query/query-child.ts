import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { constants, copyFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { type Isolation, makeTemporaryFolder, queueStart, type Sandbox, startProcess } from '@troupe/core'
import { messageSchema, type QueryMessage, type QueryProcessRequest } from './process/messages.ts'

/** A request without the folder that this adds. */
export type ChildRequest = QueryProcessRequest extends infer One
  ? One extends QueryProcessRequest
    ? Omit<One, 'temporary'>
    : never
  : never

export interface ChildOptions {
  /** Confines the process where there is one: it sees only these files and has no network. */
  sandbox?: Sandbox | undefined
  /** In team mode: the person who asks. */
  isolation?: Isolation | undefined
  /** Real paths of the files that the process may read. */
  readable: readonly string[]
  /** Folder of a database that the process may change. */
  writable?: string | undefined
  /** Moves the file of this name that the process made to another path. */
  keep?: { name: string; to: string } | undefined
  /** Awaited while the database is locked and not changed yet. */
  onLocked?(): Promise<void>
  /** The one server that the process reaches, through us. */
  address?: NetConnectOpts | undefined
  /** Kills the process when aborted. */
  signal: AbortSignal
  /** Kills the process after this time. */
  ms: number
  onStart?(pid: number): Promise<void>
  onMessage(message: QueryMessage): void
}

const heapMb = 512
/** A line of the process. Values are short, so a longer one is a fault. */
const maxLine = 8 << 20

/** Runs one request in a process. Resolves when it has ended. Rejects with a reason for the model. */
export async function runInChild(request: ChildRequest, options: ChildOptions): Promise<void> {
  const { signal } = options
  signal.throwIfAborted()
  const temporary = await makeTemporaryFolder('query', options.isolation)
  let relay: Socket | undefined
  let release: () => void = () => undefined
  try {
    if (options.address !== undefined) relay = await openRelay(options.address, signal)
    const started = await start(options, temporary)
    release = started.release
    const { child } = started
    if (relay !== undefined) joinRelay(relay, child.stdio[3] as Duplex)
    await options.onStart?.(child.pid as number)
    await answer(child, { ...request, temporary: started.temporary } as QueryProcessRequest, options)
    if (options.keep !== undefined) await keepFile(path.join(temporary, options.keep.name), options)
  } finally {
    relay?.destroy()
    release()
    await rm(temporary, { recursive: true, force: true })
  }
}

/** In team mode the folder is the person's, and a rename could move a symlink out of the place where none is followed. */
async function keepFile(file: string, { keep, isolation }: ChildOptions): Promise<void> {
  const target = keep?.to ?? ''
  await (isolation === undefined ? rename(file, target) : copyFile(file, target, constants.COPYFILE_EXCL))
}

/** The program, the packages it needs and their settings. They hold nothing of the user. */
const program = path.join(import.meta.dirname, 'process', `query-process${path.extname(import.meta.filename)}`)

function programFolders(): string[] {
  const documents = path.dirname(realpathSync(createRequire(import.meta.url).resolve('@troupe/documents/sheet-values')))
  const folders = [realpathSync(import.meta.dirname), documents]
  return [...new Set(folders.flatMap((folder) => [packageFolder(folder), ...moduleFolders(folder)]))]
}

/** The folders in which Node looks for packages. */
function moduleFolders(folder: string): string[] {
  const above = path.dirname(folder)
  const own = path.join(folder, 'node_modules')
  return [...(existsSync(own) ? [own] : []), ...(above === folder ? [] : moduleFolders(above))]
}

function packageFolder(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? realpathSync(folder) : packageFolder(path.dirname(folder))
}

async function start(
  { sandbox, readable, writable, address }: ChildOptions,
  temporary: string,
): Promise<{ child: ChildProcess; release(): void; temporary: string }> {
  const argv = [
    process.execPath,
    '--permission',
    '--allow-fs-read=*',
    '--allow-fs-write=*',
    '--allow-addons',
    '--disable-warning=SecurityWarning',
    '--disable-warning=ExperimentalWarning',
    `--max-old-space-size=${heapMb}`,
    program,
  ]
  const inside = await sandbox?.wrap({
    argv: [realpathSync(process.execPath), ...argv.slice(1)],
    cwd: '/',
    env: {},
    confinement: writable === undefined ? 'read-only' : 'workspace',
    roots: [],
    ...(writable !== undefined && { grants: [{ how: 'write', path: writable }] }),
    readable: [...programFolders(), ...readable],
    temporary,
  })
  const [file, args] = inside === undefined ? [argv[0] as string, argv.slice(1)] : [inside.file, inside.args]
  const stdio = ['pipe', 'pipe', 'pipe', ...(address === undefined ? [] : ['pipe' as const])] as 'pipe'[]
  try {
    const child = await queueStart(() =>
      startProcess('The query process', () =>
        spawn(file, args, { cwd: inside?.cwd ?? '/', env: inside?.env ?? {}, stdio, detached: true }),
      ),
    )
    // In the sandbox the folder is mounted as the temporary folder of the machine.
    return { child, release: () => inside?.release(), temporary: inside === undefined ? temporary : '/tmp' }
  } catch (error) {
    inside?.release()
    throw error
  }
}

function answer(child: ChildProcess, request: QueryProcessRequest, options: ChildOptions): Promise<void> {
  const { signal, ms, onMessage } = options
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error('The query process has no pipes.')
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    let isDone = false
    let rest = ''
    let complaints = ''
    const fail = (error: Error): void => {
      failure ??= error
      kill(child)
    }
    const stop = (): void => fail(signal.reason as Error)
    const timer = setTimeout(
      () =>
        fail(
          new Error(
            `The query took longer than ${Math.round(ms / 1000)} seconds and was stopped. Read less, or aggregate.`,
          ),
        ),
      ms,
    )
    signal.addEventListener('abort', stop, { once: true })
    stdin.on('error', () => undefined)
    stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-2000)))
    stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLine) return fail(new Error('The query process sent too much.'))
      for (const line of lines) receive(line)
    })
    child.once('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (failure !== undefined) reject(failure)
      else if (isDone) resolve()
      else reject(new Error(endReason(complaints)))
    })
    stdin.write(`${JSON.stringify(request)}\n`)
    if (signal.aborted) stop()

    async function confirm(): Promise<void> {
      try {
        await options.onLocked?.()
        stdin?.write('go\n')
      } catch (error) {
        fail(error as Error)
      }
    }

    function receive(line: string): void {
      const parsed = messageSchema.safeParse(parseLine(line))
      if (!parsed.success) return fail(new Error('The query process sent something unknown.'))
      const { data } = parsed
      if (data.type === 'error') failure ??= new Error(data.message)
      else if (data.type === 'locked') void confirm()
      else onMessage(data)
      isDone ||= data.type === 'end'
    }
  })
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The process leads a group. Everything it started ends with it. */
function kill(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

function endReason(complaints: string): string {
  if (/heap out of memory|Allocation failed|bad_alloc/i.test(complaints))
    return 'The query needs more memory than is allowed. Read fewer columns or rows, or aggregate.'
  return 'The query process stopped unexpectedly. Try a smaller query.'
}

function openRelay(address: NetConnectOpts, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, timeout: 15_000 })
    const fail = (reason: string): void => {
      socket.destroy()
      reject(new Error(`The database server cannot be reached (${reason}). Ask the user to check the connection.`))
    }
    const stop = (): void => fail('stopped')
    signal.addEventListener('abort', stop, { once: true })
    socket.once('timeout', () => fail('no answer'))
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'error'))
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop)
      socket.setTimeout(0)
      socket.removeAllListeners('error')
      socket.on('error', () => socket.destroy())
      resolve(socket)
    })
  })
}

function joinRelay(socket: Socket, pipe: Duplex): void {
  pipe.on('error', () => socket.destroy())
  socket.on('close', () => pipe.end())
  socket.pipe(pipe)
  pipe.pipe(socket)
}
