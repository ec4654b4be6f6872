import type { parseArgs, ParseArgsOptionsConfig } from 'node:util'

/** Everything a command needs. Commands take nothing from the process directly. */
export interface CommandContext {
  env: NodeJS.ProcessEnv
  cwd: string
  stdin: NodeJS.ReadStream & { fd: number }
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** Calls back on SIGINT and SIGTERM until unsubscribed. A second SIGINT ends the process immediately. */
  onSignal(callback: (signal: 'SIGINT' | 'SIGTERM') => void): () => void
}

type Parsed<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>

/** One file of `commands/`, named after the command. */
export interface Command<T extends ParseArgsOptionsConfig = ParseArgsOptionsConfig> {
  options: T
  /** Resolves to the exit code. */
  run(args: Parsed<T>, context: CommandContext): Promise<number>
}

export function defineCommand<T extends ParseArgsOptionsConfig>(command: Command<T>): Command {
  // `run` gets the options parsed by `options`.
  return command
}

/** Invalid usage. The message explains the correct usage; the exit code is 2. */
export class UsageError extends Error {}

/** Writes a line for the user to stderr, separate from the result. */
export function printNotice(context: Pick<CommandContext, 'stderr'>, message: string): void {
  context.stderr.write(`troupe: ${message}\n`)
}
