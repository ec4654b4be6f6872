import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from 'ai'

/**
 * One process of the end-to-end bench: the provider, or one of the three servers that are compared. Controlled over
 * IPC. A separate process, so that its CPU is its own.
 */
const [role, baseURL = ''] = process.argv.slice(2) as [keyof typeof roles, string | undefined]

const roles = { provider, troupe, sdk, forward }

/** The provider's requests that wait for `release`. */
let held: (() => void)[] = []
let onHeld: (() => void) | undefined
let before = process.cpuUsage()

process.on('disconnect', () => process.exit())
process.on('message', (message: string) => void answer(message))
process.send?.(await roles[role]())

async function answer(message: string): Promise<void> {
  const [command, count] = message.split(' ')
  if (command === 'begin') {
    before = process.cpuUsage()
    process.send?.({})
  } else if (command === 'cpu') {
    const { user, system } = process.cpuUsage(before)
    process.send?.({ cpuMicros: user + system })
  } else if (command === 'held') {
    while (held.length < Number(count)) await new Promise<void>((resolve) => (onHeld = resolve))
    process.send?.({})
  } else if (command === 'release') {
    const waiting = held
    held = []
    for (const go of waiting) go()
    process.send?.({})
  }
}

/**
 * An OpenAI-compatible provider. The model's name says how it answers: `hold` waits for `release` and says one word,
 * `words-<n>` says n words as fast as it can.
 */
function provider() {
  return listen(async (request, response) => {
    const { model } = JSON.parse(await bodyOf(request)) as { model: string }
    response.socket?.setNoDelay(true)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (model === 'hold') {
      response.flushHeaders()
      await new Promise<void>((resolve) => {
        held.push(resolve)
        onHeld?.()
      })
    }
    const words = model === 'hold' ? 1 : Number(model.slice('words-'.length))
    response.write(event(model, { role: 'assistant', content: '' }))
    for (let i = 0; i < words; i++) {
      response.write(event(model, { content: ` word${i % 10}` }))
      await nextTick()
    }
    response.write(event(model, {}, 'stop'))
    response.end('data: [DONE]\n\n')
  })
}

function event(model: string, delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const usage = finish !== null && { usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } }
  const chunk = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model, choices, ...usage }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** The real server with its defaults. Titles come from the words, so that all servers send the same requests. */
async function troupe() {
  const { startServer } = await import('@troupe/server')
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  process.on('exit', () => rmSync(home, { recursive: true, force: true }))
  const bench = { type: 'openai-compatible', baseURL, apiKey: 'bench-key-0123456789', models: ['hold', 'words-500'] }
  const config = { titles: 'words', providers: { bench } }
  writeFileSync(path.join(home, 'config.json'), JSON.stringify(config))
  const workspace = path.join(home, 'workspace')
  const started = await startServer({ home, workspace, port: 0, probe: false })
  return { port: started.port, token: started.token }
}

/** A bare server with the AI SDK, as its documentation shows it. */
function sdk() {
  const models = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'bench-key', includeUsage: true })
  return listen(async (request, response) => {
    const { model, messages } = JSON.parse(await bodyOf(request)) as { model: string; messages: UIMessage[] }
    const result = streamText({ model: models(model), messages: await convertToModelMessages(messages) })
    const reply = createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: result.stream }) })
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    for await (const chunk of reply.body ?? []) response.write(chunk)
    response.end()
  })
}

/** The least a server can do: passes the provider's events on. */
function forward() {
  return listen(async (request, response) => {
    const { model, messages } = JSON.parse(await bodyOf(request)) as { model: string; messages: UIMessage[] }
    const content = (message: UIMessage) =>
      message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const reply = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer bench-key' },
      body: JSON.stringify({
        model,
        stream: true,
        messages: messages.map((message) => ({ role: message.role, content: content(message) })),
      }),
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for await (const chunk of reply.body ?? []) response.write(chunk)
    response.end()
  })
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ port: number; token: string }> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, token: '' }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string
  return text
}
