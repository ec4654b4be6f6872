import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { queueStart, startProcess } from '../process/start-process.ts'

export interface RipgrepRun {
  args: readonly string[]
  /** Search folder. All results are relative to it. */
  cwd: string
  signal: AbortSignal
  /** Time limit in milliseconds, from the start of the process. */
  limitMs?: number
  /** Receives output as it arrives. Return false to stop ripgrep. */
  onText(text: string): boolean
}

export interface RipgrepResult {
  /** Stopped by `onText`, so there may be more. */
  cut: boolean
  /** The first 16 KB of stderr. */
  complaints: string
  /** Ripgrep reported an error, possibly just an unreadable file. */
  failed: boolean
}

/**
 * Arguments of every search: ignore files apply with or without a repository, hidden files are included, `.git` is not.
 */
export const defaultArguments = [
  '--no-config',
  '--hidden',
  '--no-require-git',
  '--no-ignore-messages',
  '--color=never',
  '--glob=!.git',
  '--null',
]

/** Resolves when the process is gone. Rejects with the signal's reason if aborted. */
export async function runRipgrep({ args, cwd, signal: stop, limitMs, onText }: RipgrepRun): Promise<RipgrepResult> {
  stop.throwIfAborted()
  const program = await findRipgrep()
  const start = () => spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const child = await queueStart(() => startProcess('The search', start), stop)
  const signal = limitMs === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(limitMs)])
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  let cut = false
  let complaints = ''
  let problem: Error | undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (cut) return
    try {
      if (onText(text)) return
    } catch (error) {
      problem = error as Error
    }
    cut = true
    kill()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(0, 16_384)
  })
  try {
    const { code, killedBy } = await waitForExit(child)
    signal.throwIfAborted()
    if (problem !== undefined) throw problem
    if (killedBy !== null && !cut) throw new Error(`The search was killed (${killedBy}). Try a smaller folder.`)
    return { cut, complaints, failed: !cut && code !== 0 && code !== 1 }
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

function waitForExit(child: ReturnType<typeof spawn>): Promise<{ code: number | null; killedBy: string | null }> {
  return new Promise((resolve) => child.once('close', (code, killedBy) => resolve({ code, killedBy })))
}

let ripgrepPath: Promise<string> | undefined

/** Returns the bundled binary, or else `rg` from the PATH. */
function findRipgrep(): Promise<string> {
  ripgrepPath ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => ripgrepOnPath(),
  )
  return ripgrepPath
}

function ripgrepOnPath(): string {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg'
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    // A relative entry would let the searched folder supply its own program.
    if (!path.isAbsolute(folder)) continue
    try {
      accessSync(path.join(folder, name), constants.X_OK)
      return path.join(folder, name)
    } catch {
      continue
    }
  }
  ripgrepPath = undefined
  throw new Error('Searching needs ripgrep, which is not installed. Ask the user to install it (the program "rg").')
}
