import { printNotice, type CommandContext } from './command.ts'

export interface LoadProblem {
  path: string
  message: string
}

/** Tells the person of files that were not loaded: each once, however often and by whom it is reported. */
export interface LoadProblemReporter {
  /** Takes the server's log: such lines become sentences, the others pass as they are. */
  log(line: string): void
  tell(problem: LoadProblem): void
}

export function createLoadProblemReporter(context: Pick<CommandContext, 'stderr'>): LoadProblemReporter {
  const told = new Set<string>()
  const tellOnce = ({ path, message }: LoadProblem): void => {
    const text = `${path} was not loaded: ${message}${/[.!?]$/.test(message) ? '' : '.'}`
    if (told.has(text)) return
    told.add(text)
    printNotice(context, text)
  }
  return {
    log(line) {
      const problem = parseLoadProblem(line)
      if (problem === undefined) context.stderr.write(line)
      else tellOnce(problem)
    },
    tell: tellOnce,
  }
}

const logPrefix = /^a (?:tool|hook) was not loaded: /

function parseLoadProblem(line: string): LoadProblem | undefined {
  if (!line.includes(' was not loaded: ')) return undefined
  const { path, message } = JSON.parse(line) as { path?: unknown; message?: unknown }
  if (typeof path !== 'string' || typeof message !== 'string' || !logPrefix.test(message)) return undefined
  return { path, message: message.replace(logPrefix, '') }
}
