import { type ChildProcess, spawn } from 'node:child_process'
import { z } from 'zod'
import { isolatedStart } from '../isolation/isolated-start.ts'
import { childEnvironment } from '../process/child-environment.ts'
import { sendSignalTo as sendSignal } from '../process/processes.ts'
import { findBash, queueStart, startProcess } from '../process/start-process.ts'
import type { Isolation } from '../tool/isolation.ts'
import { type Loaded, loadFolderSync } from '../tool/load-folder.ts'
import {
  checkHookAnswer,
  createMatcher,
  defaultHookMs,
  type Hook,
  type HookAnswer,
  type HookDefinition,
  type HookEvent,
  hookEvents,
  type HookOccasion,
  type MatchPlace,
} from './hook.ts'

/**
 * Loads hooks from folders, one per file: `export default defineHook({...})`. A file that fails to load is reported and
 * denies every call until fixed, since its denials are unknown.
 */
export function loadHooks(
  folders: readonly string[],
  place: MatchPlace,
): { hooks: Hook[]; problems: Loaded<Hook>['problems'] } {
  const loaded = folders.map((folder) => loadFolderSync(folder, (value, _name, file) => checkHook(value, file, place)))
  const problems = loaded.flatMap((one) => one.problems)
  const hooks = loaded.flatMap(({ entries }) => entries.map(({ value }) => value))
  return { hooks: [...problems.map(missing), ...hooks], problems }
}

function checkHook(value: unknown, file: string, place: MatchPlace): Hook {
  if (typeof value !== 'object' || value === null)
    throw new Error('the default export is not a hook; use defineHook({...})')
  const { event, match, timeoutMs = defaultHookMs, run } = value as HookDefinition
  if (!hookEvents.includes(event)) throw new Error(`event must be one of ${hookEvents.join(', ')}`)
  if (typeof run !== 'function') throw new Error('run is not a function')
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) throw new Error('timeoutMs must be a positive number')
  return {
    name: file,
    event,
    timeoutMs,
    ...createMatcher(match, place),
    async run(occasion, signal) {
      const answer = await run(occasion as never, signal)
      return answer === undefined || answer === null ? undefined : checkHookAnswer(answer)
    },
  }
}

function missing({ path, message }: { path: string; message: string }): Hook {
  return {
    name: path,
    event: 'before-call',
    timeoutMs: defaultHookMs,
    run: () => Promise.reject(new Error(`it could not be loaded: ${message}`)),
  }
}

const entry = z.looseObject({
  command: z.string().min(1).max(20_000).describe('run by bash in the workspace, with JSON on standard input'),
  match: z
    .union([z.string().min(1).max(2000), z.array(z.string().min(1).max(2000)).max(1000)])
    .optional()
    .describe('rules for the tool calls it applies to, e.g. "Bash" or ["Edit(src/**)", "Write"]; default: all'),
  timeoutMs: z.int().positive().max(600_000).optional().describe('a hook that takes longer fails'),
  enabled: z.boolean().optional().describe('false turns it off'),
})

export const hooksConfigSchema = z.looseObject({
  'before-call': z.array(entry).max(100).optional().describe('before the permission check of a tool call'),
  'after-call': z.array(entry).max(100).optional().describe('after a tool call has a result'),
  ask: z.array(entry).max(100).optional().describe('before the user is asked for approval'),
  'run-end': z.array(entry).max(100).optional().describe('when a turn ends'),
} satisfies Record<HookEvent, z.ZodType>)
export type HooksConfig = z.infer<typeof hooksConfigSchema>

interface HookPlace extends MatchPlace {
  /** Path of the config, for messages. */
  source: string
  env?: NodeJS.ProcessEnv
  /** In team mode: the isolation of a workspace's own programs. */
  isolation?: ((workspace: string) => Isolation) | undefined
}

/** Creates the hooks of a config. The caller must make sure that a project's hooks are trusted. */
export function createHooks(config: HooksConfig | undefined, place: HookPlace): Hook[] {
  return hookEvents.flatMap((event) =>
    (config?.[event] ?? []).flatMap(({ command, match, timeoutMs = defaultHookMs, enabled }, index) =>
      enabled === false
        ? []
        : [
            {
              name: `${event} ${index + 1} in ${place.source}`,
              event,
              timeoutMs,
              command,
              ...createMatcher(match, place),
              run: (occasion, signal) =>
                runCommandHook(command, occasion, signal, {
                  env: place.env,
                  isolation: place.isolation?.(occasion.workspace),
                }),
            } satisfies Hook,
          ],
    ),
  )
}

const maxOutput = 2 ** 20
const maxErrorOutput = 2 ** 14
/** A background process of the hook may hold its pipes open. The hook's own output has arrived by then. */
const drainMs = 200

/**
 * Runs a command hook: the event as JSON on stdin, the answer as JSON on stdout, or nothing. Exit code 2 denies with
 * the stderr text; any other nonzero code is a failure. Runs in the workspace with the clean environment of all
 * commands, without our keys.
 */
export async function runCommandHook(
  command: string,
  occasion: HookOccasion,
  abort: AbortSignal,
  { env = process.env, isolation }: { env?: NodeJS.ProcessEnv | undefined; isolation?: Isolation | undefined } = {},
): Promise<HookAnswer | undefined> {
  abort.throwIfAborted()
  const started = await isolatedStart(isolation, {
    argv: [findBash(), '--noprofile', '--norc', '-c', command],
    cwd: occasion.workspace,
    env: childEnvironment(env),
    confinement: 'workspace',
    roots: [occasion.workspace],
  })
  const start = () =>
    spawn(started.file, started.args, {
      cwd: started.cwd,
      env: started.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  const child = await queueStart(() => startProcess('bash', start), abort).catch((error: unknown) => {
    started.release()
    throw error
  })
  const end = (): void => void (child.pid !== undefined && sendSignal(-child.pid, 'SIGKILL'))
  abort.addEventListener('abort', end, { once: true })
  if (abort.aborted) end()
  try {
    const { code, output, errors } = await outcomeOf(child, JSON.stringify(occasion))
    abort.throwIfAborted()
    if (code === 2) return { decision: 'deny', reason: errors || 'It gave no reason.' }
    if (code !== 0) throw new Error(`it ${exitText(code)}${errors === '' ? '' : `: ${errors}`}`)
    return output === '' ? undefined : checkHookAnswer(parsed(output))
  } finally {
    abort.removeEventListener('abort', end)
    started.release()
  }
}

interface Outcome {
  /** Null if killed by a signal. */
  code: number | null
  output: string
  errors: string
}

function outcomeOf(child: ChildProcess, input: string): Promise<Outcome> {
  const output = collect(child.stdout, maxOutput)
  const errors = collect(child.stderr, maxErrorOutput)
  // A hook may exit without reading its stdin.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      const finish = (): void => {
        clearTimeout(timer)
        for (const pipe of [child.stdout, child.stderr]) pipe?.destroy()
        if (output.tooLong) reject(new Error(`its output is longer than ${maxOutput} bytes`))
        else resolve({ code, output: output.text().trim(), errors: errors.text().trim() })
      }
      const timer = setTimeout(finish, drainMs)
      child.on('close', finish)
    })
  })
}

function collect(pipe: NodeJS.ReadableStream | null, most: number): { text(): string; tooLong: boolean } {
  const chunks: Buffer[] = []
  let length = 0
  const collected = { text: () => Buffer.concat(chunks).subarray(0, most).toString(), tooLong: false }
  pipe?.on('data', (chunk: Buffer) => {
    if (length < most) chunks.push(chunk)
    length += chunk.length
    collected.tooLong = length > most
  })
  return collected
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output)
  } catch (error) {
    throw new Error(`its output is not valid JSON (${(error as Error).message}): ${output.slice(0, 200)}`, {
      cause: error,
    })
  }
}

function exitText(code: number | null): string {
  return code === null ? 'was killed by a signal' : `failed with exit code ${code}`
}
