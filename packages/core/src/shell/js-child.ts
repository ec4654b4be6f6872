/**
 * Process that runs JsRepl's code. `js-session.ts` starts it. It is a single file, so that it needs to read nothing
 * else. V8's REPL mode evaluates the code, so top-level await and redeclaring names work.
 */
import { Console } from 'node:console'
import { writeSync } from 'node:fs'
import inspector from 'node:inspector'
import module from 'node:module'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

/** Sent to the child: code, and a marker to print after all its output. */
export interface JsRequest {
  code: string
  end: string
}

export interface JsAnswer {
  /** Undefined if there is no value to show. */
  value?: string
  error?: string
}

// Guards against accidents, not attackers: the network and ways around the permissions are out of reach of ordinary
// code.
const refused = new Set(
  'child_process cluster dgram dns dns/promises http http2 https inspector inspector/promises module net repl tls trace_events v8 vm wasi worker_threads'.split(
    ' ',
  ),
)

const pause = new Int32Array(new SharedArrayBuffer(4))
const folder = pathToFileURL(`${process.cwd()}/`)
const send = process.send!.bind(process)
const session = new inspector.Session()
session.connect()
// Remove variables that the sandbox's shell adds.
for (const name of Object.keys(process.env)) if (!name.startsWith('TROUPE_')) delete process.env[name]
fence()
speakThroughPipe()
const hold = await openHold()
process.on('message', ({ code, end }: JsRequest) => void answer(code, end))
process.on('disconnect', () => process.exit())
send({})

async function answer(code: string, end: string): Promise<void> {
  const said = await evaluate(code)
  print(end)
  send(said)
}

async function evaluate(code: string): Promise<JsAnswer> {
  try {
    const { result, exceptionDetails } = await post('Runtime.evaluate', {
      expression: code,
      replMode: true,
      awaitPromise: true,
    })
    if (exceptionDetails?.exception !== undefined) return { error: await show(exceptionDetails.exception) }
    return result.type === 'undefined' ? {} : { value: await show(result) }
  } catch (error) {
    return { error: String(error) }
  }
}

/** Formats with `util.inspect`. Errors leave out the frames of this file. */
async function show({ objectId, value, unserializableValue }: RemoteValue): Promise<string> {
  const argument =
    objectId !== undefined ? { objectId } : unserializableValue !== undefined ? { unserializableValue } : { value }
  const { result } = await post('Runtime.callFunctionOn', {
    objectId: hold,
    functionDeclaration: 'function (value) { return this.show(value) }',
    arguments: [argument],
    returnByValue: true,
  })
  return String(result.value)
}

async function openHold(): Promise<string> {
  const key = '__hold'
  Object.defineProperty(globalThis, key, { value: { show: shown }, configurable: true })
  const { result } = await post('Runtime.evaluate', { expression: key })
  delete (globalThis as Record<string, unknown>)[key]
  return result.objectId as string
}

function shown(value: unknown): string {
  const text = inspect(value, { depth: 4, maxArrayLength: 200, maxStringLength: 20_000, breakLength: 100 })
  return value instanceof Error ? ownFrames(text) : text
}

/** Removes the frames of Node internals and of this file, which come below those of the user's code. */
function ownFrames(text: string): string {
  let ours = false
  const kept: string[] = []
  for (const line of text.split('\n')) {
    const frame = /^\s+at /.test(line)
    ours = frame && (ours || line.includes('at Session.post (node:inspector'))
    if (!ours && !(frame && /node:internal|js-child\.[jt]s/.test(line))) kept.push(line)
    // Properties of the error start after its last frame.
    else if (line.endsWith(' {')) kept[kept.length - 1] += ' {'
  }
  return kept.join('\n')
}

interface RemoteValue {
  type: string
  objectId?: string
  value?: unknown
  unserializableValue?: string
}

function post(
  method: 'Runtime.evaluate' | 'Runtime.callFunctionOn',
  parameters: object,
): Promise<{ result: RemoteValue; exceptionDetails?: { exception?: RemoteValue } }> {
  return new Promise((resolve, reject) => {
    session.post(method as 'Runtime.evaluate', parameters as never, (error, result) =>
      error === null ? resolve(result as never) : reject(error),
    )
  })
}

/** Sends all output through one pipe, in order, with backpressure. */
function speakThroughPipe(): void {
  const pipe = new Writable({
    write(chunk: Buffer, _encoding, done) {
      print(chunk)
      done()
    },
  })
  for (const name of ['stdout', 'stderr']) Object.defineProperty(process, name, { value: pipe, configurable: true })
  globalThis.console = new Console(pipe, pipe)
  const later = (error: unknown): void => print(`Uncaught, asynchronous: ${shown(error)}\n`)
  process.on('uncaughtException', later)
  process.on('unhandledRejection', later)
}

function print(text: string | Buffer): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      // Node may have made the pipe non-blocking. Wait for the reader when it is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, 2)
    }
  }
}

function fence(): void {
  module.registerHooks({
    resolve(specifier, context, next) {
      if (refused.has(specifier.replace(/^node:/, ''))) throw new Error(`"${specifier}" is not available here.`)
      return next(specifier, context)
    },
  })
  const builtin = process.getBuiltinModule.bind(process)
  Object.assign(process, {
    getBuiltinModule: (id: string) => (refused.has(id.replace(/^node:/, '')) ? undefined : builtin(id)),
  })
  const own = process as unknown as Record<string, unknown>
  for (const name of ['kill', '_kill', '_debugProcess', '_debugEnd', 'abort', 'dlopen', 'send', 'disconnect']) {
    Object.defineProperty(own, name, { value: undefined })
  }
  const globals = globalThis as Record<string, unknown>
  for (const name of ['fetch', 'WebSocket', 'EventSource']) delete globals[name]
  globals['require'] = module.createRequire(folder)
  globals['__import'] = (specifier: string) =>
    import(/^\.{0,2}\//.test(specifier) ? new URL(specifier, folder).href : specifier)
}
