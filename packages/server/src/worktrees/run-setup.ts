import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { childEnvironment, endCommand, findBash, queueStart, startProcess } from '@troupe/core'
import type { SetupRun } from './worktree-records.ts'

const limitMs = 15 * 60_000
const maxOutput = 16_384
const graceMs = 500

/** Runs a command of the person in a new worktree. `onChange` gets its state at the start and at the end. */
export function startSetup(
  { command, cwd, env }: { command: string; cwd: string; env: NodeJS.ProcessEnv },
  onChange: (run: SetupRun) => void,
): { end(): Promise<void> } {
  const ending = new AbortController()
  const ended = run()
  return {
    async end() {
      ending.abort()
      await ended
    },
  }

  async function run(): Promise<void> {
    onChange({ command, state: 'running', output: '' })
    let output = ''
    const add = (text: string): void => {
      output = (output + text).slice(-maxOutput)
    }
    try {
      const child = await queueStart(() =>
        startProcess('The setup command', () =>
          spawn(findBash(), ['-c', command], {
            cwd,
            env: childEnvironment(env),
            stdio: ['ignore', 'pipe', 'pipe'],
            detached: true,
          }),
        ),
      )
      const pid = child.pid as number
      for (const stream of [child.stdout, child.stderr]) {
        const decoder = new StringDecoder('utf8')
        stream.on('data', (data: Buffer) => add(decoder.write(data)))
      }
      const stop = (): void => void endCommand({ pid })
      const timer = setTimeout(() => ending.abort(), limitMs)
      ending.signal.addEventListener('abort', stop, { once: true })
      if (ending.signal.aborted) stop()
      const code = await new Promise<number | null>((resolve) => {
        child.once('close', resolve)
        // A process it left behind may keep the pipes open.
        child.once('exit', (exitCode) => setTimeout(() => resolve(exitCode), graceMs))
      })
      clearTimeout(timer)
      if (ending.signal.aborted) add('\n(stopped)')
      onChange({ command, state: code === 0 ? 'done' : 'failed', output })
    } catch (error) {
      onChange({ command, state: 'failed', output: `${output}${(error as Error).message}` })
    }
  }
}
