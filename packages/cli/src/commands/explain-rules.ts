import { once } from 'node:events'
import path from 'node:path'
import type { Explainer } from '@troupe/server/explain'
import { resolveHome } from '@troupe/server/home'
import { type CommandContext, defineCommand, printNotice, UsageError } from '../shared/command.ts'

const longestLine = 1 << 22

/**
 * Reads stdin to its end and writes one line of JSON per non-empty line, in order. Lines read together are written
 * together. Stops reading while the consumer is behind.
 */
async function answerLines(
  { stdin, stdout }: Pick<CommandContext, 'stdin' | 'stdout'>,
  answer: (line: string) => object | Promise<object>,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  let tooLong = false

  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    await write(lines)
    if (rest.length <= longestLine) continue
    rest = ''
    tooLong = true
  }
  await write([rest + decoder.decode()])

  async function write(lines: string[]): Promise<void> {
    const answers: string[] = []
    for (const line of lines) {
      const answered = answerTo(line)
      if (answered !== undefined) answers.push(`${JSON.stringify(await answered)}\n`)
    }
    if (answers.length > 0 && !stdout.write(answers.join(''))) await once(stdout, 'drain')
  }

  function answerTo(line: string): object | Promise<object> | undefined {
    if (tooLong || line.length > longestLine) {
      tooLong = false
      return { error: `longer than ${longestLine} characters` }
    }
    return line.trim() === '' ? undefined : answer(line)
  }
}

/**
 * `troupe rules explain`: shows the decision for tool calls in this folder, and the reason. Needs no server and changes
 * nothing.
 */
export const command = defineCommand({
  options: {
    jsonl: { type: 'boolean', default: false },
    sandbox: { type: 'boolean' },
    mode: { type: 'string' },
    allow: { type: 'string', multiple: true },
    ask: { type: 'string', multiple: true },
    deny: { type: 'string', multiple: true },
    workspace: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    const [given, ...more] = positionals
    if (more.length > 0 || values.jsonl === (given !== undefined))
      throw new UsageError(
        'expected: troupe rules explain --jsonl (calls on stdin), or troupe rules explain "<command>"',
      )
    const { openExplainer } = await import('@troupe/server/explain')
    const { allow, ask, deny, mode, sandbox } = values
    const explainer = await openExplainer({
      home: resolveHome({ env: context.env }),
      workspace: path.resolve(context.cwd, values.workspace ?? '.'),
      env: context.env,
      rules: { allow, ask, deny },
      mode,
      sandbox,
    })
    for (const warning of [...explainer.problems, ...explainer.warnings]) printNotice(context, warning)
    if (given !== undefined) return explainCommand(explainer, given, context)
    await answerLines(context, (line) => explainLine(explainer, line))
    return 0
  },
})

async function explainCommand(explainer: Explainer, command: string, { stdout }: CommandContext): Promise<number> {
  const {
    decision,
    reason,
    commands = [],
    remember = [],
  } = await explainer.explain({ tool: 'Bash', input: { command } })
  stdout.write(`${decision}: ${reason}\n`)
  for (const { text, note } of commands)
    stdout.write(`  ${text}${note === undefined || note === '' ? '' : `  (${note})`}\n`)
  if (decision === 'ask' && remember.length > 0) stdout.write(`To stop asking, allow: ${remember.join(', ')}\n`)
  return 0
}

/** Returns one object per line: a decision, or the problem with the line. */
function explainLine(explainer: Explainer, line: string): object | Promise<object> {
  let call: unknown
  try {
    call = JSON.parse(line)
  } catch (error) {
    return { error: `not JSON: ${(error as Error).message}` }
  }
  const { tool, input } = Object(call) as { tool?: unknown; input?: unknown }
  if (typeof tool !== 'string' || tool === '') return { error: 'not a tool call; expected {"tool": "…", "input": …}' }
  try {
    const made = explainer.explain({ tool, input })
    return made instanceof Promise ? made.then(toResult, toError) : toResult(made)
  } catch (error) {
    return toError(error)
  }
}

function toResult({ decision, reason, rule }: { decision: string; reason: string; rule: string | null }): object {
  return { decision, reason, rule }
}

function toError(error: unknown): object {
  return { error: error instanceof Error ? error.message : String(error) }
}
