import { spawn, type ChildProcess } from 'node:child_process'
import { childEnvironment } from '../shell/child-environment.ts'
import { findBash } from '../shell/find-bash.ts'
import { queueStart, startProcess } from '../start-process.ts'
import { sendSignalTo as sendSignal } from '../shell/processes.ts'
import { checkHookAnswer } from './answer-schema.ts'
import type { HookAnswer, HookOccasion } from './hook.ts'

const maxOutput = 2 ** 20
const maxErrorOutput = 2 ** 14
/** What a hook leaves running may hold its pipes open; what it had to say itself is there by then. */
const drainMs = 200

/**
 * A hook that is a command: the occasion as JSON on its standard input, its answer as JSON on its standard output, or
 * nothing. Exit code 2 denies with what it printed to standard error; any other than 0 is a failure. It runs in the
 * workspace, in the clean environment of every command: no key of ours is in it.
 */
export async function runCommandHook(
  command: string,
  occasion: HookOccasion,
  abort: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<HookAnswer | undefined> {
  abort.throwIfAborted()
  const start = () =>
    spawn(findBash(), ['--noprofile', '--norc', '-c', command], {
      cwd: occasion.workspace,
      env: childEnvironment(env),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  const child = await queueStart(() => startProcess('bash', start), abort)
  const end = (): void => void (child.pid !== undefined && sendSignal(-child.pid, 'SIGKILL'))
  abort.addEventListener('abort', end, { once: true })
  if (abort.aborted) end()
  try {
    const { code, output, errors } = await outcomeOf(child, JSON.stringify(occasion))
    abort.throwIfAborted()
    if (code === 2) return { decision: 'deny', reason: errors || 'It gave no reason.' }
    if (code !== 0) throw new Error(`it ended with ${codeText(code)}${errors === '' ? '' : `: ${errors}`}`)
    return output === '' ? undefined : checkHookAnswer(parsed(output))
  } finally {
    abort.removeEventListener('abort', end)
  }
}

interface Outcome {
  /** Null when a signal ended it. */
  code: number | null
  output: string
  errors: string
}

function outcomeOf(child: ChildProcess, input: string): Promise<Outcome> {
  const output = collect(child.stdout, maxOutput)
  const errors = collect(child.stderr, maxErrorOutput)
  // A hook need not read what it is told.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      const finish = (): void => {
        clearTimeout(timer)
        for (const pipe of [child.stdout, child.stderr]) pipe?.destroy()
        if (output.tooLong) reject(new Error(`its answer is longer than ${maxOutput} bytes`))
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
    throw new Error(`it printed what is no JSON (${(error as Error).message}): ${output.slice(0, 200)}`, {
      cause: error,
    })
  }
}

function codeText(code: number | null): string {
  return code === null ? 'a signal' : `exit code ${code}`
}
