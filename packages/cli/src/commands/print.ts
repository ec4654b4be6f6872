import { fstatSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type BudgetInfo,
  type Chunk,
  createFold,
  type ErrorInfo,
  extractUrls,
  type Message,
  newId,
  readBudgetEvent,
  readEvents,
  type Usage,
} from '@troupe/protocol'
import { type CommandContext, defineCommand, printNotice, UsageError } from '../shared/command.ts'
import { connect, type Connection, readJson } from '../shared/connect.ts'
import { connectToServer } from '../shared/logins.ts'

const formats = ['text', 'json', 'stream-json'] as const
type Format = (typeof formats)[number]

interface Result {
  /** The text of the last step. */
  result: string
  sessionId: string
  messageId: string | null
  model: string | null
  /** Usage of its own model calls, with their cost if the price is known. */
  usage: Usage | null
  cost: number | null
  /** Usage of its sub-agents, not included in `usage`. */
  subAgents: { tokens: number; cost?: number } | null
  finishReason: string | null
  elapsedMs: number | null
  /** Null if the run succeeded. */
  error: ErrorInfo | null
}

interface Output {
  chunk(chunk: Chunk): void
  end(result: Result): void
}

function createOutput(format: Format, write: (text: string) => void): Output {
  if (format === 'json') return { chunk: () => undefined, end: (result) => write(`${JSON.stringify(result)}\n`) }
  if (format === 'stream-json') return { chunk: (chunk) => write(`${JSON.stringify(chunk)}\n`), end: () => undefined }
  let last = ''
  const show = (text: string): void => {
    if (text === '') return
    write(text)
    last = text
  }
  return {
    chunk(chunk) {
      if ((chunk.type === 'text-start' || chunk.type === 'reset-step') && last !== '')
        show(last.endsWith('\n') ? '\n' : '\n\n')
      if (chunk.type === 'text-delta') show(chunk.delta)
    },
    end() {
      if (last !== '' && !last.endsWith('\n')) write('\n')
    },
  }
}

/** `complete`: the stream ended like a finished run. */
function toResult(message: Message, run: { sessionId: string; complete: boolean; errorText?: string }): Result {
  const { metadata = {} } = message
  return {
    result: lastText(message),
    sessionId: run.sessionId,
    messageId: message.id || null,
    model: metadata.model ?? null,
    usage: metadata.usage ?? null,
    cost: metadata.cost ?? null,
    subAgents: metadata.subAgents ?? null,
    finishReason: metadata.finishReason ?? null,
    elapsedMs: metadata.elapsedMs ?? null,
    error: resultError(message, run),
  }
}

function resultError({ metadata = {} }: Message, run: { complete: boolean; errorText?: string }): ErrorInfo | null {
  if (metadata.error !== undefined) return metadata.error
  if (run.errorText !== undefined) return { name: 'RunFailed', message: run.errorText }
  if (metadata.aborted) return { name: 'Stopped', message: 'The run was stopped.' }
  if (metadata.interrupted) return { name: 'Interrupted', message: 'The process that ran it has ended.' }
  if (metadata.stopped !== undefined)
    return { name: 'LimitReached', message: metadata.stopped.message, data: { reason: metadata.stopped.reason } }
  if (!run.complete) return { name: 'Unfinished', message: 'The answer was cut off.' }
  return null
}

/** Returns the text after the last tool call, or all text if that is empty. */
function lastText({ parts }: Message): string {
  const texts = (from: number): string =>
    parts
      .slice(from)
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('\n\n')
  const start = parts.findLastIndex((part) => part.type === 'step-start')
  return texts(start + 1) || texts(0)
}

/** Returns the prompt of the command line followed by piped input. `typed`: the part the user wrote. */
async function readPrompt(positionals: string[], context: CommandContext): Promise<{ prompt: string; typed: string }> {
  if (positionals.length > 1) {
    throw new UsageError(`expected one prompt, got ${positionals.length}. Put the prompt in quotes.`)
  }
  const given = positionals[0]?.trim() ?? ''
  const piped = isPiped(context.stdin) ? (await readAll(context)).trim() : ''
  const prompt = [given, piped].filter((text) => text !== '').join('\n\n')
  if (prompt === '') throw new UsageError('no prompt given: use troupe -p "…", or pipe one in')
  return { prompt, typed: given }
}

/** A terminal and /dev/null are character devices. A shell provides a pipe or a file, a program often a socket. */
function isPiped(stdin: CommandContext['stdin']): boolean {
  if (stdin.isTTY) return false
  try {
    return !fstatSync(stdin.fd).isCharacterDevice()
  } catch {
    // Stdin is closed.
    return false
  }
}

async function readAll(context: CommandContext): Promise<string> {
  const hint = setTimeout(
    () => printNotice(context, 'reading from stdin until it ends (close it, or add </dev/null)'),
    3000,
  )
  try {
    const pieces: Buffer[] = []
    for await (const piece of context.stdin) {
      hint.refresh()
      pieces.push(piece as Buffer)
    }
    return Buffer.concat(pieces).toString('utf8')
  } finally {
    clearTimeout(hint)
  }
}

/** `troupe -p "…"`: one prompt, one answer, no approvals. */
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
    worktree: { type: 'boolean', default: false },
    base: { type: 'string' },
    file: { type: 'string', multiple: true },
    server: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    const format = parseFormat(values['output-format'])
    const maxSteps = parseMaxSteps(values['max-steps'])
    if (values.continue && values.resume !== undefined) throw new UsageError('use either -c or -r, not both')
    if (values.worktree && (values.continue || values.resume !== undefined))
      throw new UsageError('--worktree starts a new chat; omit -c and -r')
    if (values.base !== undefined && !values.worktree) throw new UsageError('--base needs --worktree')
    const { prompt, typed } = await readPrompt(positionals, context)
    const files = await Promise.all((values.file ?? []).map((file) => readAttachment(file, context)))
    // The demo's typing speed is for interactive use.
    context.env['TROUPE_DEMO_SPEED'] ??= 'instant'
    const opened =
      values.server === undefined
        ? await connect(context, { allowBypass: values['allow-bypass'], workspace: values.workspace })
        : await connectToServer(context, values.server, values.workspace)
    try {
      const connection = values.worktree ? await openWorktree(opened, context, prompt, values.base) : opened
      const sessionId = await resolveSession(values, connection)
      const { model, mode, allow, ask, deny } = values
      const body = {
        prompt,
        files: await uploadFiles(files, connection),
        typedUrls: extractUrls(typed).slice(0, 100),
        sessionId,
        model,
        maxSteps,
        mode,
        rules: allow || ask || deny ? { allow, ask, deny } : undefined,
      }
      const output = createOutput(format, (text) => context.stdout.write(text))
      return await printAnswer(body, {
        connection,
        context,
        output: format === 'text' ? withHints(output, context) : output,
      })
    } finally {
      await opened.close()
    }
  },
})

interface FilePart {
  type: 'file'
  filename: string
  mediaType: string
  url: string
}

interface LocalFile {
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

/** Maximum upload size the server accepts. */
const mostBytes = 32 * 1024 * 1024

async function readAttachment(given: string, { cwd }: CommandContext): Promise<LocalFile> {
  const file = path.resolve(cwd, given)
  const stats = await stat(file).catch((error: unknown) => {
    throw new UsageError(
      `--file ${given}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : String(error)}`,
    )
  })
  if (!stats.isFile()) throw new UsageError(`--file ${given}: not a file. Mention folders in the prompt with @`)
  if (stats.size === 0) throw new UsageError(`--file ${given}: the file is empty`)
  if (stats.size > mostBytes)
    throw new UsageError(`--file ${given}: larger than 32 MiB. Put it in the folder and mention it with @`)
  return { name: path.basename(file), bytes: new Uint8Array(await readFile(file)) }
}

async function uploadFiles(files: readonly LocalFile[], connection: Connection): Promise<FilePart[]> {
  const parts: FilePart[] = []
  for (const { name, bytes } of files) {
    const headers = { 'content-type': 'application/octet-stream' }
    const response = await connection.fetch('/ai/blobs', { method: 'POST', headers, body: bytes })
    const { url } = await readJson<{ url: string }>(response)
    parts.push({ type: 'file', filename: name, mediaType: 'application/octet-stream', url })
  }
  return parts
}

/** Creates a worktree for the prompt, waits for its setup, and returns a connection in it. */
async function openWorktree(
  connection: Connection,
  context: CommandContext,
  prompt: string,
  base: string | undefined,
): Promise<Connection> {
  const name = (prompt.trim().split('\n', 1)[0] ?? '').slice(0, 60)
  const { worktree } = await connection.call('POST /ai/worktrees', { body: { name, base } })
  printNotice(context, `working in ${worktree.path} on the branch ${worktree.branch}`)
  let { setup } = worktree
  if (setup !== undefined) printNotice(context, `preparing it: ${setup.command}`)
  while (setup?.state === 'running') {
    await delay(200)
    const { worktrees } = await connection.call('GET /ai/worktrees')
    setup = worktrees.find(({ id }) => id === worktree.id)?.setup
  }
  if (setup?.state === 'failed') printNotice(context, `the setup command failed:\n${setup.output.trimEnd()}`)
  return connection.inFolder(worktree.path)
}

/** Prints hints for the user on stderr, separate from the answer. */
function withHints(output: Output, context: CommandContext): Output {
  return {
    ...output,
    chunk(chunk) {
      if (chunk.type === 'data-hint') printNotice(context, (chunk.data as { text: string }).text)
      const budget = readBudgetEvent(chunk)
      if (budget !== undefined) printNotice(context, budgetText(budget))
      output.chunk(chunk)
    },
  }
}

function budgetText({ period, limit, spent }: BudgetInfo): string {
  const of = period === 'day' ? 'today' : 'this month'
  return `${Math.floor((100 * spent) / limit)}% of the budget of $${limit} for ${of} is used`
}

interface PrintOptions {
  connection: Connection
  context: CommandContext
  output: Output
}

async function printAnswer(
  request: {
    prompt: string
    files: FilePart[]
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
  const { prompt, files, sessionId, ...settings } = request
  let exitCode: number | undefined
  const stop = async (code: number): Promise<void> => {
    exitCode = code
    // The run may not exist yet or any more. Then there is nothing to stop.
    await connection.fetch(`/ai/chat/${sessionId}/stop`, { method: 'POST' }).catch(() => undefined)
  }
  const endSignals = context.onSignal((signal) => void stop(signal === 'SIGINT' ? 130 : 143))
  // The reader of the answer is gone, for example `head`, so the run is useless.
  const onClosed = (): void => {
    if (exitCode === undefined) void stop(1)
  }
  context.stdout.on('error', onClosed)
  try {
    const message = { id: newId('msg_'), role: 'user', parts: [...files, { type: 'text', text: prompt }] }
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

/** Reads the stream to its end. An interrupted stream gives a result too. */
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
    errorText ??= `The connection was lost (${(error as Error).message}). The run may still be going: troupe -p -r ${sessionId} "…"`
  }
  return toResult(fold.snapshot(), { sessionId, complete, errorText })
}

function isEnd(chunk: Chunk): boolean {
  return chunk.type === 'finish' || chunk.type === 'abort' || chunk.type === 'error'
}

async function resolveSession(
  values: { continue?: boolean; resume?: string },
  connection: Connection,
): Promise<string> {
  if (values.resume !== undefined) {
    const { session } = await connection.call('GET /ai/sessions/:id', { params: { id: values.resume } })
    return session.id
  }
  if (!values.continue) return newId('ses_')
  const { sessions } = await connection.call('GET /ai/sessions', { query: { limit: 1 } })
  const [newest] = sessions
  if (newest === undefined) throw new UsageError('there is no chat in this folder yet; omit -c')
  return newest.id
}

function parseFormat(name: string): Format {
  const format = formats.find((known) => known === name)
  if (format === undefined) throw new UsageError(`--output-format must be one of ${formats.join(', ')}, not "${name}"`)
  return format
}

function parseMaxSteps(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const steps = Number(text)
  if (!Number.isInteger(steps) || steps < 1 || steps > 1000)
    throw new UsageError('--max-steps must be a whole number from 1 to 1000')
  return steps
}
