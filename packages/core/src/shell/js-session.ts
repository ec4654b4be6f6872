import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeTemporaryFolder } from '../files/temporary-files.ts'
import type { ProcessPool } from '../process/process-pool.ts'
import { endCommand } from '../process/processes.ts'
import { findBash, processMark, queueStart, startProcess } from '../process/start-process.ts'
import { limitsScript } from '../sandbox/process-limits.ts'
import { abortReason } from '../tool/abort-reason.ts'
import type { Confined } from '../tool/isolation.ts'
import type { ToolContext } from '../tool/tool.ts'
import { createOutputCollector, type ShownOutput } from './command-output.ts'
import type { JsAnswer, JsRequest } from './js-child.ts'
import { confinementOf } from './launch.ts'
import { rewriteImports } from './rewrite-imports.ts'

export interface JsOutcome extends ShownOutput, JsAnswer {
  before?: string
  /** `lost`: the session ended with all its state. */
  status: 'done' | 'timed-out' | 'stopped' | 'lost'
  stoppedBy?: string
  exitCode: number | null
  signal: string | null
  durationMs: number
}

export interface JsSession {
  readonly alive: boolean
  /** Sentence for the model about why the session ended while no call was running. */
  readonly lost: string | undefined
  run(code: string, ctx: ToolContext, timeoutMs: number): Promise<JsOutcome>
  dispose(): Promise<void>
}

/** Maximum wait for the remaining output of an ended process, in milliseconds. */
const drainMs = 500

const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './js-child.ts' : './js-child.js', import.meta.url),
)

/**
 * Starts a session in a new temporary folder, the only one it may read and write, with an empty environment. Node's
 * permission model blocks other files, processes, threads and addons. Node 24 has no network permission. The child
 * hides the network from ordinary code, and the sandbox, if there is one, blocks it for all code.
 */
export async function startJsSession(ctx: ToolContext, memoryMegabytes: number): Promise<JsSession> {
  const mark = ctx.state.tasks.nextMark()
  const folder = await makeTemporaryFolder('js', ctx.state.isolation)
  const start = await inside(ctx, folder, {
    argv: [
      process.execPath,
      '--permission',
      `--allow-fs-read=${program}`,
      `--allow-fs-read=${folder}`,
      `--allow-fs-write=${folder}`,
      '--allow-inspector',
      '--disable-warning=SecurityWarning',
      `--max-old-space-size=${memoryMegabytes}`,
      program,
    ],
    env: { ...processMark(ctx.run.id, ctx.toolCallId), TROUPE_TASK: mark },
  })
  const { child, output } = await queueStart(() => begin(ctx.state.pool, start, folder), ctx.signal).catch(
    async (error: unknown) => {
      start.release?.()
      await rm(folder, { recursive: true, force: true })
      throw error
    },
  )
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let alive = true
  let working = 1
  let usedAt = performance.now()
  let lost: string | undefined
  let onText: ((text: string) => Promise<void> | void) | undefined
  /** Output printed between calls, shown with the next answer. */
  let between = ''
  output.on('data', (bytes: Buffer) => take(decoder.decode(bytes, { stream: true })))
  output.on('error', () => output.destroy())
  const drained = new Promise<void>((resolve) => output.once('close', resolve))
  const gone = Promise.withResolvers<{ code: number | null; signal: string | null }>()
  child.once('exit', (code, signal) => {
    alive = false
    if (working === 0) lost ??= 'The JavaScript session had ended. Everything declared in it is lost.'
    gone.resolve({ code, signal })
  })
  let limitReason: string | undefined
  // A leftover temporary folder is not an error.
  const removed = gone.promise.then(({ code }) => {
    limitReason = start.stopReason?.(code)
    start.release?.()
    return rm(folder, { recursive: true, force: true }).catch(() => undefined)
  })
  const end = async (): Promise<void> => {
    child.ref()
    if (child.pid !== undefined && alive) await endCommand({ pid: child.pid, mark })
    // Its last output may still be in the pipe.
    await Promise.race([drained, delay(drainMs)])
    output.destroy()
    await removed
  }
  try {
    ctx.state.pool.addInterpreter({
      get busy() {
        return working > 0
      },
      get usedAt() {
        return usedAt
      },
      ended: gone.promise,
      evict(why) {
        lost = why
        end().catch(() => undefined)
      },
    })
    await Promise.race([
      once(child, 'message'),
      gone.promise.then(() => Promise.reject(new Error(between.trim() || 'it exited immediately'))),
    ])
    await ctx.process(child.pid as number)
    ctx.state.pool.watch(child.pid as number, gone.promise)
    working--
  } catch (error) {
    await end()
    throw new Error(`The JavaScript session could not be started: ${(error as Error).message}`, { cause: error })
  }
  child.unref()
  child.channel?.unref()
  output.unref()
  return {
    get alive() {
      return alive && lost === undefined
    },
    get lost() {
      return lost
    },
    async run(...call) {
      working++
      try {
        return await run(...call)
      } finally {
        working--
        usedAt = performance.now()
      }
    },
    dispose: end,
  }

  function take(text: string): void {
    if (onText === undefined) {
      between = (between + text).slice(-10_000)
      return
    }
    const wait = onText(text)
    if (wait === undefined) return
    output.pause()
    void wait.then(() => output.resume())
  }

  async function run(code: string, call: ToolContext, timeoutMs: number): Promise<JsOutcome> {
    const begun = performance.now()
    const keeper = createOutputCollector(call, 'js-repl')
    const marker = `\x1e${randomBytes(8).toString('hex')}`
    const printed = printedUntil(marker, keeper.add, (text) => {
      onText = undefined
      take(text)
    })
    onText = printed.add
    if (between !== '') void keeper.add(between)
    between = ''
    const over = new AbortController()
    const limit = delay(timeoutMs, 'timed-out' as const, { signal: AbortSignal.any([call.signal, over.signal]) })
    const timedOut = limit.catch(() => 'stopped' as const)
    try {
      const answered = once(child, 'message', { signal: over.signal }) as Promise<[JsAnswer]>
      child.send({ code: rewriteImports(code), end: marker } satisfies JsRequest)
      const both = Promise.all([answered, printed.ended]).then(([[answer]]) => answer)
      both.catch(() => undefined)
      const first = await Promise.race([both, gone.promise, timedOut])
      if (typeof first === 'object' && !('code' in first)) return { ...(await result()), ...first, status: 'done' }
      await end()
      const { code: exitCode, signal } = await gone.promise
      printed.flush()
      if (limitReason !== undefined) await keeper.add(`\n${limitReason}\n`)
      const stopped = call.signal.aborted && { stoppedBy: abortReason(call.signal.reason).text }
      const status = stopped ? 'stopped' : first === 'timed-out' ? 'timed-out' : 'lost'
      return { ...(await result()), status, ...stopped, exitCode, signal }
    } finally {
      over.abort()
      onText = undefined
    }

    async function result(): Promise<Omit<JsOutcome, 'status'>> {
      const { text, ...shown } = await keeper.end()
      return {
        ...shown,
        text: text.replace(lastGarbage, outOfMemory),
        exitCode: null,
        signal: null,
        durationMs: Math.round(performance.now() - begun),
      }
    }
  }
}

async function begin(pool: ProcessPool, { file, args, env }: Awaited<ReturnType<typeof inside>>, folder: string) {
  const { output, write } = await pool.acquirePipe()
  try {
    const options = { cwd: folder, env, detached: true }
    const child = await startProcess('Node', () =>
      spawn(file, args, { ...options, stdio: ['ignore', write, write, 'ipc'] }),
    )
    return { child, output }
  } catch (error) {
    output.destroy()
    throw error
  } finally {
    closeSync(write)
  }
}

/** Uses the sandbox if there is one, so that the system enforces what Node's permissions only attempt. */
async function inside(
  ctx: ToolContext,
  folder: string,
  { argv, env }: { argv: string[]; env: Record<string, string> },
): Promise<Pick<Confined, 'file' | 'args' | 'env' | 'stopReason'> & { release?(): void }> {
  confinementOf(ctx)
  const [file = '', ...args] = argv
  return (
    (await ctx.state.sandbox?.wrap({
      argv: [findBash(), '--noprofile', '--norc', '-c', `${limitsScript}; exec "$@"`, 'bash', ...argv],
      cwd: folder,
      env,
      confinement: 'workspace',
      roots: [],
      readable: [program],
      grants: [{ how: 'write', path: folder }],
    })) ?? { file, args, env }
  )
}

// V8 prints pages about its heap when it is full.
const lastGarbage = /\n*<--- Last few GCs --->[^]*/
const outOfMemory = '\nFATAL ERROR: JavaScript heap out of memory\n'

/**
 * Forwards output before the marker, which may arrive in pieces. Calls `after` once with the text behind the marker.
 */
function printedUntil(marker: string, add: (text: string) => Promise<void> | void, after: (text: string) => void) {
  const ended = Promise.withResolvers<void>()
  let held = ''
  return {
    ended: ended.promise,
    add(text: string): Promise<void> | void {
      const all = held + text
      const at = all.indexOf(marker)
      const until = at === -1 ? all.length - marker.length : at
      held = at === -1 ? all.slice(Math.max(0, until)) : ''
      if (at !== -1) {
        ended.resolve()
        after(all.slice(at + marker.length))
      }
      return until > 0 ? add(all.slice(0, until)) : undefined
    },
    flush() {
      void add(held)
      held = ''
    },
  }
}
