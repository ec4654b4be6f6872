import type { parseArgs, ParseArgsOptionsConfig } from 'node:util'

/** What a command works with; nothing is taken from the process behind its back. */
export interface CommandContext {
  env: NodeJS.ProcessEnv
  cwd: string
  stdin: NodeJS.ReadStream & { fd: number }
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** Calls back at SIGINT and SIGTERM until it is told to end; a second SIGINT ends the process at once. */
  onSignal(callback: (signal: 'SIGINT' | 'SIGTERM') => void): () => void
}

type Parsed<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>

/** One file of `commands/`; the file's name is the command's. */
export interface Command<T extends ParseArgsOptionsConfig = ParseArgsOptionsConfig> {
  options: T
  /** Resolves to the exit code. */
  run(args: Parsed<T>, context: CommandContext): Promise<number>
}

export function defineCommand<T extends ParseArgsOptionsConfig>(command: Command<T>): Command {
  // The options that `run` gets are those that were parsed by `options`.
  return command
}

/** The person called it wrongly: the message says how, the exit code is 2. */
export class UsageError extends Error {}

/** Writes a line for the person, which is no part of the result. */
export function printNotice(context: Pick<CommandContext, 'stderr'>, message: string): void {
  context.stderr.write(`troupe: ${message}\n`)
}
