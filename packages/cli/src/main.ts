import { runTroupe } from './run-troupe.ts'
import type { CommandContext } from './shared/command.ts'

// The reader of the output is gone, for example `head`. A command that needs cleanup listens itself.
process.stdout.on('error', () => {
  if (process.stdout.listenerCount('error') === 1) process.exit(1)
})

process.exitCode = await runTroupe(process.argv.slice(2), context())

function context(): CommandContext {
  return {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onSignal(callback) {
      let interrupted = false
      const listeners = (['SIGINT', 'SIGTERM'] as const).map((signal) => {
        const listener = (): void => {
          if (interrupted && signal === 'SIGINT') process.exit(130)
          interrupted ||= signal === 'SIGINT'
          callback(signal)
        }
        process.on(signal, listener)
        return { signal, listener }
      })
      return () => listeners.forEach(({ signal, listener }) => process.off(signal, listener))
    },
  }
}
