import path from 'node:path'
import { parseArgs } from 'node:util'
import { UsageError, type Command, type Context } from './command.ts'
import { useVendored } from './vendored.ts'

const commands = [
  'complete',
  'mcp',
  'serve',
  'doctor',
  'debug',
  'export',
  'import',
  'rules',
  'skills',
  'trust',
  'help',
  'version',
]

// Whoever read the output has gone, `head` for instance. A command that has something to end first listens itself.
process.stdout.on('error', () => {
  if (process.stdout.listenerCount('error') === 1) process.exit(1)
})

/** Nothing else prints an error or sets the exit code. */
process.exitCode = await main(process.argv.slice(2)).catch(failed)

async function main(argv: string[]): Promise<number> {
  const { name, rest } = choose(argv)
  useVendored(path.resolve(import.meta.dirname, '../../..'))
  const { command } = (await import(`./commands/${name}.ts`)) as { command: Command }
  return command.run(parse(command, rest), context())
}

/** A command's name comes first; without one there is `-p`, or the workspace is served. */
function choose(argv: string[]): { name: string; rest: string[] } {
  const [first = '', ...rest] = argv
  if (commands.includes(first)) {
    if (wantsHelp(rest)) return { name: 'help', rest: [] }
    // It takes other flags than its siblings.
    if (first === 'rules' && rest[0] === 'explain') return { name: 'explain-rules', rest: rest.slice(1) }
    return { name: first, rest }
  }
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  if (wantsHelp(flags)) return { name: 'help', rest: [] }
  if (flags.includes('--version') || flags.includes('-v')) return { name: 'version', rest: [] }
  if (flags.some((flag) => flag === '--print' || /^-[a-z]*p/.test(flag))) return { name: 'print', rest: argv }
  if (first !== '' && !first.startsWith('-')) {
    throw new UsageError(`there is no command "${first}". To ask something: troupe -p "${first} …"`)
  }
  const [forPrompt] = flags.flatMap(
    (flag) => /^(-[cmr]|--(continue|resume|model|max-steps|output-format|mode|allow|deny|ask)\b)/.exec(flag)?.[0] ?? [],
  )
  if (forPrompt !== undefined) throw new UsageError(`${forPrompt} goes with -p: troupe -p ${withValue(forPrompt)} "…"`)
  return { name: 'serve', rest: argv }
}

function withValue(flag: string): string {
  return ['-c', '--continue'].includes(flag)
    ? flag
    : `${flag} <${['-r', '--resume'].includes(flag) ? 'session' : 'value'}>`
}

function wantsHelp(flags: string[]): boolean {
  return flags.includes('--help') || flags.includes('-h')
}

function parse(command: Command, args: string[]): ReturnType<typeof parseArgs<{ allowPositionals: true }>> {
  try {
    return parseArgs({ args, options: command.options, allowPositionals: true, allowNegative: true })
  } catch (error) {
    throw new UsageError(usageText(error as NodeJS.ErrnoException), { cause: error })
  }
}

function usageText({ code, message }: NodeJS.ErrnoException): string {
  const option = /'(-[^' ,<]*)/.exec(message)?.[1]
  return code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && option !== undefined
    ? `there is no option "${option}" here`
    : (message.split('\n')[0] ?? message)
}

function context(): Context {
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

function failed(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`troupe: ${message}\n`)
  if (process.env['TROUPE_DEBUG']) console.error(error)
  if (!(error instanceof UsageError)) return 1
  process.stderr.write('troupe: see "troupe --help".\n')
  return 2
}
