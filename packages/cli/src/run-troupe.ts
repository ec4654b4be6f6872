import { inspect, parseArgs } from 'node:util'
import { type Command, type CommandContext, printNotice, UsageError } from './shared/command.ts'

const commands = {
  complete: () => import('./commands/complete.ts'),
  mcp: () => import('./commands/mcp.ts'),
  serve: () => import('./commands/serve.ts'),
  doctor: () => import('./commands/doctor.ts'),
  debug: () => import('./commands/debug.ts'),
  export: () => import('./commands/export.ts'),
  import: () => import('./commands/import.ts'),
  migrate: () => import('./commands/migrate.ts'),
  projects: () => import('./commands/projects.ts'),
  rules: () => import('./commands/rules.ts'),
  skills: () => import('./commands/skills.ts'),
  trust: () => import('./commands/trust.ts'),
  feedback: () => import('./commands/feedback.ts'),
  login: () => import('./commands/login.ts'),
  logout: () => import('./commands/logout.ts'),
  node: () => import('./commands/node.ts'),
  secrets: () => import('./commands/secrets.ts'),
  person: () => import('./commands/person.ts'),
  help: () => import('./commands/help.ts'),
  version: () => import('./commands/version.ts'),
} satisfies Record<string, Load>

type Load = () => Promise<{ command: Command }>

/** Runs `troupe` with its arguments and resolves to the exit code. This is the only place that prints errors. */
export async function runTroupe(argv: string[], context: CommandContext): Promise<number> {
  try {
    const { load, rest } = chooseCommand(argv)
    const { command } = await load()
    return await command.run(parseOptions(command, rest), context)
  } catch (error) {
    return reportFailure(error, context)
  }
}

/** The command name comes first. Without one, `-p` or `serve` runs. */
function chooseCommand(argv: string[]): { load: Load; rest: string[] } {
  const [first = '', ...rest] = argv
  if (isCommand(first)) {
    if (wantsHelp(rest)) return { load: commands.help, rest: [] }
    // Its flags differ from those of the other subcommands.
    if (first === 'rules' && rest[0] === 'explain')
      return { load: () => import('./commands/explain-rules.ts'), rest: rest.slice(1) }
    return { load: commands[first], rest }
  }
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  if (wantsHelp(flags)) return { load: commands.help, rest: [] }
  if (flags.includes('--version') || flags.includes('-v')) return { load: commands.version, rest: [] }
  if (flags.some((flag) => flag === '--print' || /^-[a-z]*p/.test(flag)))
    return { load: () => import('./commands/print.ts'), rest: argv }
  if (first !== '' && !first.startsWith('-')) {
    throw new UsageError(`unknown command "${first}". To send a prompt: troupe -p "${first} …"`)
  }
  const [forPrompt] = flags.flatMap(
    (flag) => /^(-[cmr]|--(continue|resume|model|max-steps|output-format|mode|allow|deny|ask)\b)/.exec(flag)?.[0] ?? [],
  )
  if (forPrompt !== undefined) throw new UsageError(`${forPrompt} requires -p: troupe -p ${withValue(forPrompt)} "…"`)
  return { load: commands.serve, rest: argv }
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name)
}

function withValue(flag: string): string {
  return ['-c', '--continue'].includes(flag)
    ? flag
    : `${flag} <${['-r', '--resume'].includes(flag) ? 'session' : 'value'}>`
}

function wantsHelp(flags: string[]): boolean {
  return flags.includes('--help') || flags.includes('-h')
}

function parseOptions(command: Command, args: string[]): ReturnType<typeof parseArgs<{ allowPositionals: true }>> {
  try {
    return parseArgs({ args, options: command.options, allowPositionals: true, allowNegative: true })
  } catch (error) {
    throw new UsageError(usageText(error as NodeJS.ErrnoException), { cause: error })
  }
}

function usageText({ code, message }: NodeJS.ErrnoException): string {
  const option = /'(-[^' ,<]*)/.exec(message)?.[1]
  return code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && option !== undefined
    ? `unknown option "${option}"`
    : (message.split('\n')[0] ?? message)
}

function reportFailure(error: unknown, { env, stderr }: CommandContext): number {
  printNotice({ stderr }, error instanceof Error ? error.message : String(error))
  if (env['TROUPE_DEBUG']) stderr.write(`${inspect(error)}\n`)
  if (!(error instanceof UsageError)) return 1
  printNotice({ stderr }, 'see "troupe --help".')
  return 2
}
