import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { anthropic } from './wire-formats/anthropic.ts'
import { chatCompletions, commonUsage } from './wire-formats/chat-completions.ts'
import { gateway } from './wire-formats/gateway.ts'
import { google } from './wire-formats/google.ts'
import { responses } from './wire-formats/responses.ts'
import { event, type WireFormat, type WireTurn } from './wire-formats/wire-turn.ts'

/** Faults on the wire. `…-start` occurs before the first byte of the response, its counterparts in the middle. */
export const wireFaults = [
  'unauthorized',
  'refused',
  'context-too-long',
  'rate-limit',
  'rate-limit-seconds',
  'rate-limit-date',
  'rate-limit-ms',
  'server-error',
  'overloaded',
  'html-200',
  'html-502',
  'json-200',
  'cut-json',
  'cut-stream',
  'error-event',
  'stall-start',
  'stall',
  'reset-start',
  'reset',
] as const
export type WireFault = (typeof wireFaults)[number]

interface WireAnswer {
  /** A function of the request body if the usage depends on it. */
  turn?: WireTurn | ((body: unknown) => WireTurn)
  /** An HTTP error in the provider's format. */
  error?: { status: number; message: string }
  fault?: WireFault
  /** Bytes per write, regardless of what it splits: lines, JSON, UTF-8 sequences. Default: all at once. */
  chunkBytes?: number
  /** Position of a mid-stream fault in the response, from 0 to 1. */
  at?: number
}

interface WireRequest {
  provider: WireProvider
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: unknown
  model: string
}

export interface WireServer {
  /** Returns the provider's `baseURL` on this server. */
  baseURL(provider: WireProvider): string
  requests: WireRequest[]
  nextRequest(): Promise<WireRequest>
  /** Queues answers. Each generation request takes the next one, and gets a 400 if the queue is empty. */
  play(...answers: WireAnswer[]): void
  clear(): void
  list(provider: WireProvider, models: string[]): void
  close(): Promise<void>
}

export async function wireServer(options: { port?: number } = {}): Promise<WireServer> {
  const queue: WireAnswer[] = []
  const requests: WireRequest[] = []
  const lists = new Map<WireProvider, string[]>()
  const waiting: ((request: WireRequest) => void)[] = []
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.socket?.setNoDelay(true)
    const path = incoming.url ?? ''
    const provider = path.split('/')[1] as WireProvider
    if (!(provider in wireProviders)) return sendJson(response, 404, { error: { message: `no provider at ${path}` } })
    if (incoming.method === 'GET')
      return sendJson(response, 200, modelList(provider, lists.get(provider) ?? ['wire-1']))
    const request = await readRequest(incoming, provider)
    requests.push(request)
    for (const tell of waiting.splice(0)) tell(request)
    const { format } = wireProviders[provider] as { format: WireFormat }
    const answer = queue.shift()
    if (!answer) return sendJson(response, 400, format.errorBody(400, 'the wire server has no answer left'))
    await play(answer, format, request, response)
  }

  return {
    requests,
    baseURL: (provider) => `${origin}/${provider}${wireProviders[provider].path}`,
    nextRequest: () => new Promise((resolve) => void waiting.push(resolve)),
    play: (...answers) => void queue.push(...answers),
    clear() {
      queue.length = 0
      requests.length = 0
    },
    list: (provider, models) => void lists.set(provider, models),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function play(
  answer: WireAnswer,
  format: WireFormat,
  { model, body: asked }: WireRequest,
  response: ServerResponse,
): Promise<void> {
  const { fault, at = 0.5, error } = answer
  if (error) return sendJson(response, error.status, format.errorBody(error.status, error.message))
  const refusal = fault && refusals[fault]
  if (refusal) {
    const body = refusal.html ? page : JSON.stringify(format.errorBody(refusal.status, refusal.message))
    response.writeHead(refusal.status, {
      'content-type': refusal.html ? 'text/html; charset=utf-8' : 'application/json',
      ...refusal.headers?.(),
    })
    response.end(body)
    return
  }
  if (fault === 'stall-start') return
  if (fault === 'reset-start') return void response.socket?.resetAndDestroy()

  const turn = (typeof answer.turn === 'function' ? answer.turn(asked) : answer.turn) ?? { text: 'Hello' }
  const failing = { ...turn, error: { type: 'overloaded_error', message: 'Overloaded' } }
  const events = format.events(fault === 'error-event' ? failing : turn, model)
  const middle = Math.max(1, Math.floor(events.length * at))
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })

  const whole = Buffer.from(events.join(''))
  const half = Buffer.from(events.slice(0, middle).join(''))
  const broken = Buffer.from(event({ cut: 'in the middle of the json' }).replace('middle of the json"}', ''))
  const bytes =
    fault === undefined || fault === 'error-event' ? whole : fault === 'cut-json' ? Buffer.concat([half, broken]) : half
  const cut = fault === 'cut-stream' ? Buffer.from(events[middle] ?? '').subarray(0, 20) : Buffer.alloc(0)
  await write(response, Buffer.concat([bytes, cut]), answer.chunkBytes ?? whole.length)
  if (fault === 'stall') return
  if (fault === 'reset') return void response.socket?.resetAndDestroy()
  response.end()
}

/** Yields after each piece, since the client would receive them joined otherwise. */
async function write(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let offset = 0; offset < bytes.length && !response.destroyed; offset += size) {
    response.write(bytes.subarray(offset, offset + size))
    await nextTurn()
  }
}

/** Returns a fetch whose responses arrive in pieces of exactly this size. Cheaper than the network for tiny pieces. */
export function slicedFetch(size: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    let rest = new Uint8Array()
    const slicer = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const bytes = Buffer.concat([rest, chunk])
        let offset = 0
        for (; offset + size <= bytes.length; offset += size) controller.enqueue(bytes.subarray(offset, offset + size))
        rest = new Uint8Array(bytes.subarray(offset))
      },
      flush(controller) {
        if (rest.length > 0) controller.enqueue(rest)
      },
    })
    return new Response(response.body?.pipeThrough(slicer) ?? null, response)
  }
}

interface Refusal {
  status: number
  message: string
  headers?: () => Record<string, string>
  html?: boolean
}

const tooMany = { status: 429, message: 'Too many requests' }

const refusals: Partial<Record<WireFault, Refusal>> = {
  unauthorized: { status: 401, message: 'Incorrect API key provided' },
  refused: { status: 400, message: 'Unsupported value' },
  'context-too-long': { status: 400, message: "This model's maximum context length is 1000 tokens" },
  'rate-limit': tooMany,
  'rate-limit-seconds': { ...tooMany, headers: () => ({ 'retry-after': '2' }) },
  'rate-limit-date': { ...tooMany, headers: () => ({ 'retry-after': new Date(Date.now() + 3000).toUTCString() }) },
  'rate-limit-ms': { ...tooMany, headers: () => ({ 'retry-after-ms': '20', 'retry-after': '9' }) },
  'server-error': { status: 500, message: 'Internal error' },
  overloaded: { status: 529, message: 'Overloaded' },
  'html-200': { status: 200, message: '', html: true },
  'html-502': { status: 502, message: '', html: true },
  'json-200': { status: 200, message: 'This is not a stream' },
}

const page = '<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head><body><h1>502</h1></body></html>\n'

async function readRequest(incoming: IncomingMessage, provider: WireProvider): Promise<WireRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as { model?: string }
  const path = incoming.url ?? ''
  const named = /models\/([^:/]+):/.exec(path)?.[1] ?? incoming.headers['ai-language-model-id']
  const model = body.model ?? (typeof named === 'string' ? named : '')
  return { provider, method: incoming.method ?? '', path, headers: incoming.headers, body, model }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function modelList(provider: WireProvider, models: string[]): unknown {
  if (provider === 'google') {
    return {
      models: models.map((id) => ({
        name: `models/${id}`,
        inputTokenLimit: 8192,
        supportedGenerationMethods: ['generateContent'],
      })),
    }
  }
  if (provider === 'vercel') {
    return {
      models: models.map((id) => ({
        id,
        name: id,
        modelType: 'language',
        pricing: { input: '0.000002', output: '0.00001' },
      })),
    }
  }
  if (provider === 'ollama')
    return { models: models.map((name) => ({ name, model: name, details: { family: 'qwen3', parameter_size: '8B' } })) }
  if (provider === 'lmstudio') {
    return {
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', type: 'llm', state: 'not-loaded', max_context_length: 32_768 })),
    }
  }
  const owned_by = provider === 'vllm' ? 'vllm' : provider === 'llamacpp' ? 'llamacpp' : 'wire'
  return {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 1_760_000_000, owned_by, max_model_len: 8192 })),
  }
}

const openaiChat = chatCompletions({ usage: commonUsage, usageAlone: true })

export const wireProviders = {
  openai: { path: '/v1', format: responses(openaiChat.errorBody) },
  anthropic: { path: '/v1', format: anthropic },
  google: { path: '/v1beta', format: google },
  deepseek: {
    path: '',
    format: chatCompletions({
      reasoning: 'reasoning_content',
      usageAlone: false,
      usage: (usage) => ({
        ...commonUsage(usage),
        prompt_cache_hit_tokens: usage.cached,
        prompt_cache_miss_tokens: usage.input - usage.cached,
      }),
    }),
  },
  moonshot: {
    path: '/v1',
    format: chatCompletions({
      reasoning: 'reasoning_content',
      usageAlone: true,
      usage: (usage) => ({ ...commonUsage(usage), cached_tokens: usage.cached }),
    }),
  },
  qwen: {
    path: '/compatible-mode/v1',
    format: chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true }),
  },
  xai: { path: '/v1', format: responses((status, message) => ({ code: `Code ${status}`, error: message })) },
  vercel: { path: '/v4/ai', format: gateway },
  custom: { path: '/v1', format: openaiChat },
  ollama: { path: '/v1', format: chatCompletions({ reasoning: 'reasoning', usage: commonUsage, usageAlone: true }) },
  lmstudio: {
    path: '/v1',
    format: chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true }),
  },
  llamacpp: {
    path: '/v1',
    format: chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true }),
  },
  vllm: {
    path: '/v1',
    format: chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true }),
  },
} satisfies Record<string, { path: string; format: WireFormat }>

export type WireProvider = keyof typeof wireProviders
