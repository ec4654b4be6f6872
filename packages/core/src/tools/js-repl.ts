import { z } from 'zod'
import type { JsOutcome, JsSession } from '../shell/js-session.ts'
import { plainText, seconds, terminalDisplay } from '../shell/task-display.ts'
import { defineTool, type ToolContext } from '../tool/tool.ts'

const defaultMs = 30_000
const mostMs = 600_000
const memoryMegabytes = 256

export default defineTool({
  description: `Runs JavaScript in a persistent session: later calls can use, and redeclare, what earlier calls declared. The input is the code itself. Top-level await works, as do require() and import of Node's built-in modules. Returns printed output and the last value.
The session runs in its own temporary folder, with no other files, no network, no other programs, ${memoryMegabytes} MB of memory and 30 seconds per call (for more, start the code with a line such as "// timeout_ms=120000"). JsReplReset starts a new session.`,
  input: z.string(),
  readOnly: false,
  // Programs that ignore SIGTERM are killed after a second.
  stopMs: 3000,
  deferred: true,
  group: 'code',
  touches: () => [{ kind: 'code' }],
  title: () => 'Run JavaScript',
  permission: (code) => ({ title: 'Run JavaScript', content: code }),
  validate: (code) => (code.trim() === '' ? 'The code is empty. Send the JavaScript to run.' : undefined),
  async execute(code, ctx): Promise<JsOutcome> {
    const before = (ctx.state.resources.get(name) as JsSession | undefined)?.lost
    const session = await openSession(ctx)
    const outcome = await session.run(code, ctx, requestedTimeout(code))
    return before === undefined ? outcome : { ...outcome, before }
  },
  toModel(output, code) {
    const { text, value, error, status, stoppedBy, exitCode, signal, before } = output
    const lines: string[] = before === undefined ? [] : [`${before} This call ran in a new session.`]
    if (text !== '') lines.push(plainText(text).replace(/\n$/, ''))
    if (error !== undefined) lines.push(`Uncaught ${error}${hint(error)}`)
    else if (value !== undefined) lines.push(`=> ${value}`)
    else if (status === 'done' && text === '') lines.push('=> undefined')
    if (status === 'timed-out') {
      lines.push(
        `Timed out after ${seconds(requestedTimeout(code))}: the session was ended and everything declared in it is lost.`,
      )
    } else if (status === 'stopped') {
      lines.push(`${stoppedBy} The session was ended and everything declared in it is lost.`)
    } else if (status === 'lost') {
      lines.push(
        `${exitReason(exitCode, signal)} Everything declared in the session is lost. The next call starts a new one.`,
      )
    }
    return lines.join('\n')
  },
  display({ text, value, error, status, stoppedBy, durationMs, spilled }, code) {
    const end = error !== undefined ? `Uncaught ${error}` : value !== undefined ? `=> ${value}` : ''
    const how = {
      done: error === undefined ? 'done' : 'threw an error',
      'timed-out': 'timed out',
      stopped: stoppedBy?.replace(/\.$/, ''),
      lost: 'the session was lost',
    }[status]
    return {
      title: 'JavaScript',
      summary: `${how} · ${seconds(durationMs)}`,
      content: terminalDisplay({
        command: code,
        text: text + end,
        exitCode: status === 'done' && error === undefined ? 0 : 1,
        durationMs,
        status: status === 'timed-out' || status === 'stopped' ? status : 'ended',
        spilled,
      }),
    }
  },
})

const name = 'js-repl'

async function openSession(ctx: ToolContext): Promise<JsSession> {
  const { resources: kept } = ctx.state
  const known = kept.get(name) as JsSession | undefined
  if (known?.alive === true) return known
  const { startJsSession } = await import('../shell/js-session.ts')
  const session = await startJsSession(ctx, memoryMegabytes)
  kept.set(name, session)
  return session
}

function requestedTimeout(code: string): number {
  const asked = /^\s*\/\/.*\btimeout_ms\s*=\s*(\d+)/.exec(code)?.[1]
  return asked === undefined ? defaultMs : Math.min(Math.max(Number(asked), 1), mostMs)
}

function exitReason(exitCode: number | null, signal: string | null): string {
  if (exitCode !== null && signal === null && exitCode < 128)
    return `The code ended the process with exit code ${exitCode}.`
  return `The process died (${signal ?? `exit code ${exitCode}`}), most likely because it used more than ${memoryMegabytes} MB of memory.`
}

function hint(error: string): string {
  if (/Cannot find (module|package)/.test(error))
    return "\n(Only Node's built-in modules and files in the session's folder can be imported here.)"
  return ''
}
