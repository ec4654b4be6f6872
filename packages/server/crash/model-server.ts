import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { chatCompletions, commonUsage } from '../src/testing/wire-formats/chat-completions.ts'
import { event, type WireTurn } from '../src/testing/wire-formats/wire-turn.ts'

const words = 'the quick brown fox jumps over a lazy dog 狐 🦊 — and says "what\'s next?"\n'.split(' ')

/** Scripts the model's turns for one question. The result is deterministic, and every step reuses the call ids. */
function scriptFor(seed: number): WireTurn[] {
  const random = createRandom(seed)
  const steps = random.between(2, 5)
  return Array.from({ length: steps + 1 }, (_, step) => ({
    ...(random.chance(0.4) && { reasoning: sentence(random, 10) }),
    text: `Step ${step}. ${sentence(random, 40)}`,
    ...(step < steps && {
      calls: Array.from({ length: random.between(1, 3) }, (_, i) => randomCall(random, `${seed}-${step}-${i}`, i)),
    }),
  }))
}

function randomCall(random: Random, key: string, index: number): NonNullable<WireTurn['calls']>[number] {
  const name = random.pick(['Append', 'Append', 'AppendAsked', 'Look', 'Look', 'Launch'])
  const input = {
    key,
    beforeMs: random.between(0, 25),
    afterMs: random.between(0, 40),
    ...(name === 'Launch' && { orphaned: random.chance(0.3) }),
  }
  return { id: `call_${index}`, name, input }
}

function sentence(random: Random, most: number): string {
  return Array.from({ length: random.between(3, most) }, () => random.pick(words)).join(' ')
}

export interface Random {
  /** Returns a number in [0, 1). */
  next(): number
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (list) => list[between(0, list.length - 1)] as never,
  }
}

interface ModelServer {
  baseURL: string
  close(): Promise<void>
}

interface WireMessage {
  role: string
  content?: string | { text?: string }[] | null
}

interface Plan {
  turns: WireTurn[]
  /** Number of text characters to send, in large chunks, before the turn. */
  flood?: number
  hangs?: boolean
}

/** Supported questions. Every process gives the same answer to the same question. */
const plans: [RegExp, (value: string) => Plan][] = [
  [/seed:(\d+)\./, (seed) => ({ turns: scriptFor(Number(seed)) })],
  [/deep:(\w+)\./, (id) => ({ turns: deepPlan(id) })],
  [/deep-a:(\w+)\./, (id) => ({ turns: deepPlanA(id) })],
  [/deep-b:(\w+)\./, (id) => ({ turns: deepPlanB(id) })],
  [/deep-c:(\w+)\./, (id) => ({ turns: [{ text: 'I.', calls: [append(0, `c1-${id}`)] }, { text: 'C is done.' }] })],
  [/flood:(\d+)\./, (count) => ({ flood: Number(count), turns: [{ text: ' The end.' }] })],
  [/hang\./, () => ({ hangs: true, turns: [{ text: 'Let me think about that for a while. '.repeat(20) }] })],
  [/write:(\w+)\./, (key) => ({ turns: [turnWithCall('Append', key, 1500), { text: 'Done.' }] })],
  [/ask:(\w+)\./, (key) => ({ turns: [turnWithCall('AppendAsked', key, 0), { text: 'Done.' }] })],
]

function deepPlan(id: string): WireTurn[] {
  return [
    {
      text: 'I delegate.',
      calls: [append(0, `m1-${id}`), task(1, 'deep-a', `deep-a:${id}.`), task(2, 'deep-c', `deep-c:${id}.`, true)],
    },
    { text: 'Nearly done.', calls: [append(0, `m2-${id}`)] },
    { text: 'Done.' },
  ]
}

function deepPlanA(id: string): WireTurn[] {
  return [
    { text: 'First a write.', calls: [append(0, `a1-${id}`), task(1, 'deep-b', `deep-b:${id}.`)] },
    { text: 'Another.', calls: [append(0, `a2-${id}`)] },
    { text: 'A is done.' },
  ]
}

function deepPlanB(id: string): WireTurn[] {
  const asked = { id: 'call_1', name: 'AppendAsked', input: { key: `b2-${id}`, beforeMs: 5, afterMs: 5 } }
  return [
    { text: 'Look first.', calls: [{ ...append(0, `look-${id}`), name: 'Look' }, append(1, `b1-${id}`)] },
    { text: 'Now I ask.', calls: [asked] },
    { text: 'B is done.' },
  ]
}

function append(index: number, key: string): NonNullable<WireTurn['calls']>[number] {
  return { id: `call_${index}`, name: 'Append', input: { key, beforeMs: 10, afterMs: 20 } }
}

function task(index: number, name: string, text: string, background = false): NonNullable<WireTurn['calls']>[number] {
  return { id: `call_${index}`, name: 'Task', input: { name, task: text, background } }
}

function turnWithCall(name: string, key: string, afterMs: number): WireTurn {
  return { text: 'I shall.', calls: [{ id: 'call_0', name, input: { key, beforeMs: 0, afterMs } }] }
}

/**
 * Starts a provider that outlives the servers under test. The last question selects the plan, and the answers after it
 * count the steps.
 */
export async function openModelServer(): Promise<ModelServer> {
  const format = chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true })
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { model, messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
      model: string
      messages: WireMessage[]
    }
    const { turn, flood = 0, hangs = false } = turnFor(messages)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let sent = 0; sent < flood && !response.destroyed; sent += floodPiece.length) {
      if (!response.write(floodEvent(model)))
        await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
    }
    const events = format.events(turn, model)
    for (const [i, text] of (hangs ? events.slice(0, 100) : events).entries()) {
      if (response.destroyed) return
      response.write(text)
      if (i % 5 === 4) await sleep(Math.random() * 8)
    }
    if (!hangs) response.end()
  }

  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const floodPiece = 'abcdefgh'.repeat(1024)

function floodEvent(model: string): string {
  return event({
    id: 'wire',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta: { content: floodPiece }, finish_reason: null }],
  })
}

function turnFor(messages: WireMessage[]): Omit<Plan, 'turns'> & { turn: WireTurn } {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as WireMessage
    const found = message.role === 'user' ? plans.find(([pattern]) => pattern.test(messageText(message))) : undefined
    if (found === undefined) continue
    const [pattern, plan] = found
    const { turns, ...rest } = plan(pattern.exec(messageText(message))?.[1] ?? '')
    const since = messages.slice(at)
    const heard = since.filter(({ role }) => role === 'user').map(messageText)
    return {
      ...rest,
      turn: turns[since.filter(({ role }) => role === 'assistant').length] ?? { text: `Heard: ${heard.join(', ')}` },
    }
  }
  throw new Error('nobody asked a question that this model knows')
}

function messageText({ content }: WireMessage): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')
}
