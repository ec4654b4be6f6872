import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { sendSignalTo } from '../process/processes.ts'
import { findBash, processMark, startProcess } from '../process/start-process.ts'
import { limitsScript, watchProcesses } from '../sandbox/process-limits.ts'
import { confinementOf } from '../shell/launch.ts'
import type { ToolContext } from '../tool/tool.ts'

/** The parts of a tool call that a program needs, so that it can also run for a person. */
export type ProgramContext = Pick<
  ToolContext,
  'signal' | 'toolCallId' | 'process' | 'granted' | 'documents' | 'printer'
> & {
  run: { id: string }
  state: Pick<ToolContext['state'], 'sandbox' | 'isolation'>
}

export interface ProgramOutcome {
  code: number | null
  /** The end of what it printed. */
  output: string
  hasTimedOut: boolean
}

const maxOutput = 4000
/** Parts of LibreOffice and of the fonts that Debian keeps outside /usr. */
const settingsFolders = [
  '/etc/libreoffice',
  '/var/lib/libreoffice',
  '/var/spool/libreoffice',
  '/etc/fonts',
  '/var/cache/fontconfig',
]

/** Ends the whole process group when the pipe from this process closes, which also happens when it is killed. */
const watchedScript = `exec 3<&0 </dev/null
{ read -r _ <&3; kill -KILL 0; } &
watch=$!
"$@" 3<&-
code=$?
kill "$watch" 2>/dev/null
exit "$code"`

/**
 * Runs a program on files in a separate folder: in the sandbox without network where there is one, in a process group
 * that is killed as a whole. Programs such as LibreOffice leave children behind when only the first process ends.
 */
export async function runProgram(
  ctx: ProgramContext,
  { argv, folder, timeoutMs }: { argv: readonly string[]; folder: string; timeoutMs: number },
): Promise<ProgramOutcome> {
  ctx.signal.throwIfAborted()
  confinementOf(ctx)
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: folder,
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    ...processMark(ctx.run.id, ctx.toolCallId),
  }
  const [name = ''] = argv
  const [file, ...args] = [findBash(), '--noprofile', '--norc', '-c', watchedScript, 'bash', ...argv]
  const confined = await ctx.state.sandbox?.wrap({
    argv: [file, '--noprofile', '--norc', '-c', `${limitsScript}; ${watchedScript}`, 'bash', ...argv],
    cwd: folder,
    env,
    confinement: 'workspace',
    // A root, not a grant: programs need sockets among their own processes.
    roots: [folder],
    readable: settingsFolders.filter((place) => existsSync(place)),
  })
  const start = confined ?? { file, args, env, cwd: folder }
  const child = await startProcess(name, () =>
    spawn(start.file, start.args, {
      cwd: start.cwd,
      env: start.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
  const pid = child.pid!
  const stopWatching = watchProcesses(pid)
  const kill = (): void => void sendSignalTo(-pid, 'SIGKILL')
  let hasTimedOut = false
  let output = ''
  const timer = setTimeout(() => {
    hasTimedOut = true
    kill()
  }, timeoutMs)
  ctx.signal.addEventListener('abort', kill, { once: true })
  try {
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    child.stdin.on('error', () => undefined)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-maxOutput)))
    await ctx.process(pid)
    const code = await ended
    ctx.signal.throwIfAborted()
    const stopReason = confined?.stopReason?.(code)
    if (stopReason !== undefined) throw new Error(stopReason)
    return { code, output, hasTimedOut }
  } finally {
    clearTimeout(timer)
    ctx.signal.removeEventListener('abort', kill)
    kill()
    stopWatching()
    confined?.release()
  }
}
