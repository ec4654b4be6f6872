import { extractUrls, createFold, newId, readEvents, type Chunk } from '@troupe/core/protocol'
import { defineCommand, printNotice, UsageError, type CommandContext } from '../command.ts'
import { connect, readJson, type Connection } from '../connect.ts'
import { createOutput, formats, toResult, type Format, type Output, type Result } from '../output.ts'
import { readPrompt } from '../read-prompt.ts'

/** `troupe -p "…"`: one prompt, one answer, nobody to ask. */
export const command = defineCommand({
  options: {
    print: { type: 'boolean', short: 'p' },
    'output-format': { type: 'string', default: 'text' },
    model: { type: 'string', short: 'm' },
    continue: { type: 'boolean', short: 'c' },
    resume: { type: 'string', short: 'r' },
    'max-steps': { type: 'string' },
    mode: { type: 'string' },
    allow: { type: 'string', multiple: true },
    ask: { type: 'string', multiple: true },
    deny: { type: 'string', multiple: true },
    'allow-bypass': { type: 'boolean', default: false },
    workspace: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    const format = parseFormat(values['output-format'])
    const maxSteps = parseMaxSteps(values['max-steps'])
    if (values.continue && values.resume !== undefined) throw new UsageError('give either -c or -r, not both')
    const { prompt, typed } = await readPrompt(positionals, context)
    // The demo's typing pace is for people who watch.
    context.env['TROUPE_DEMO_SPEED'] ??= 'instant'
    const connection = await connect(context, {
      allowBypass: values['allow-bypass'],
      ...(values.workspace !== undefined && { workspace: values.workspace }),
    })
    try {
      const sessionId = await resolveSession(values, connection)
      const { model, mode, allow, ask, deny } = values
      const rules = { ...(allow && { allow }), ...(ask && { ask }), ...(deny && { deny }) }
      const body = {
        prompt,
        typedUrls: extractUrls(typed).slice(0, 100),
        sessionId,
        ...(model !== undefined && { model }),
        ...(maxSteps !== undefined && { maxSteps }),
        ...(mode !== undefined && { mode }),
        ...(Object.keys(rules).length > 0 && { rules }),
      }
      const output = createOutput(format, (text) => context.stdout.write(text))
      return await printAnswer(body, {
        connection,
        context,
        output: format === 'text' ? withHints(output, context) : output,
      })
    } finally {
      await connection.close()
    }
  },
})

/** Words to the person stand beside the answer, not in it. */
function withHints(output: Output, context: CommandContext): Output {
  return {
    ...output,
    chunk(chunk) {
      if (chunk.type === 'data-hint') printNotice(context, (chunk.data as { text: string }).text)
      output.chunk(chunk)
    },
  }
}

interface PrintOptions {
  connection: Connection
  context: CommandContext
  output: Output
}

async function printAnswer(
  request: {
    prompt: string
    typedUrls: string[]
    sessionId: string
    model?: string
    maxSteps?: number
    mode?: string
    rules?: object
  },
  to: PrintOptions,
): Promise<number> {
  const { connection, context, output } = to
  const { prompt, sessionId, ...settings } = request
  let exitCode: number | undefined
  const stop = async (code: number): Promise<void> => {
    exitCode = code
    // There may be no run yet, or none any more: then nothing is left to stop.
    await connection.fetch(`/ai/chat/${sessionId}/stop`, { method: 'POST' }).catch(() => undefined)
  }
  const endSignals = context.onSignal((signal) => void stop(signal === 'SIGINT' ? 130 : 143))
  // Whoever reads the answer has gone, `head` for instance: the run is of no use any more.
  const onClosed = (): void => {
    if (exitCode === undefined) void stop(1)
  }
  context.stdout.on('error', onClosed)
  try {
    const message = { id: newId('msg_'), role: 'user', parts: [{ type: 'text', text: prompt }] }
    const body = { sessionId, message, ...settings, headless: true }
    const response = await connection.fetch('/ai/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok || response.body === null) await readJson(response)
    output.chunk({ type: 'data-session', data: { sessionId }, transient: true })
    const result = await follow(response.body as ReadableStream<Uint8Array>, sessionId, output)
    output.end(result)
    if (exitCode !== undefined) return exitCode
    if (result.error === null) return 0
    printNotice(context, result.error.message)
    return 1
  } finally {
    endSignals()
    context.stdout.off('error', onClosed)
  }
}

/** Reads the stream to its end; one that breaks off is a result too. */
async function follow(body: ReadableStream<Uint8Array>, sessionId: string, output: Output): Promise<Result> {
  const fold = createFold()
  let complete = false
  let errorText: string | undefined
  try {
    for await (const { chunk } of readEvents(body)) {
      fold.push(chunk)
      output.chunk(chunk)
      complete ||= isEnd(chunk)
      if (chunk.type === 'error') errorText = chunk.errorText
    }
  } catch (error) {
    errorText ??= `The connection broke off (${(error as Error).message}). The run may go on: troupe -p -r ${sessionId} "…"`
  }
  return toResult(fold.snapshot(), { sessionId, complete, ...(errorText !== undefined && { errorText }) })
}

function isEnd(chunk: Chunk): boolean {
  return chunk.type === 'finish' || chunk.type === 'abort' || chunk.type === 'error'
}

async function resolveSession(
  values: { continue?: boolean; resume?: string },
  connection: Connection,
): Promise<string> {
  if (values.resume !== undefined) {
    const { session } = await readJson<{ session: { id: string } }>(
      await connection.fetch(`/ai/sessions/${encodeURIComponent(values.resume)}`),
    )
    return session.id
  }
  if (!values.continue) return newId('ses_')
  const { sessions } = await readJson<{ sessions: { id: string }[] }>(await connection.fetch(`/ai/sessions?limit=1`))
  const [newest] = sessions
  if (newest === undefined) throw new UsageError('there is no session in this folder yet; leave out -c')
  return newest.id
}

function parseFormat(name: string): Format {
  const format = formats.find((known) => known === name)
  if (format === undefined) throw new UsageError(`--output-format is one of ${formats.join(', ')}, not "${name}"`)
  return format
}

function parseMaxSteps(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const steps = Number(text)
  if (!Number.isInteger(steps) || steps < 1 || steps > 1000)
    throw new UsageError('--max-steps is a whole number from 1 to 1000')
  return steps
}
