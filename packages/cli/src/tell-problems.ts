import { tell, type Context } from './command.ts'

export interface Problem {
  path: string
  message: string
}

/** Tells the person of files that were not loaded: each once, however often and by whom it is reported. */
export interface ProblemTeller {
  /** Takes the server's log: such lines become sentences, the others pass as they are. */
  log(line: string): void
  tell(problem: Problem): void
}

export function createProblemTeller(context: Pick<Context, 'stderr'>): ProblemTeller {
  const told = new Set<string>()
  const tellOnce = ({ path, message }: Problem): void => {
    const text = `${path} was not loaded: ${message}${/[.!?]$/.test(message) ? '' : '.'}`
    if (told.has(text)) return
    told.add(text)
    tell(context, text)
  }
  return {
    log(line) {
      const problem = problemIn(line)
      if (problem === undefined) context.stderr.write(line)
      else tellOnce(problem)
    },
    tell: tellOnce,
  }
}

const beginning = /^a (?:tool|hook) was not loaded: /

function problemIn(line: string): Problem | undefined {
  if (!line.includes(' was not loaded: ')) return undefined
  const { path, message } = JSON.parse(line) as { path?: unknown; message?: unknown }
  if (typeof path !== 'string' || typeof message !== 'string' || !beginning.test(message)) return undefined
  return { path, message: message.replace(beginning, '') }
}
