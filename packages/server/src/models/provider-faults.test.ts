import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { ProviderErrorName } from '@troupe/core'
import { cleanMessage } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chat, shown, testServer, type TestServer, userMessage } from '../testing/test-server.ts'
import { type WireFault, wireServer, type WireServer } from '../testing/wire-server.ts'

type WireAnswer = Parameters<WireServer['play']>[number]

interface Case {
  name: string
  /** Provider responses to the first message. The next message gets a normal answer. */
  answers: WireAnswer[]
  /** Undefined if the run recovers by itself. */
  error?: ProviderErrorName
  says?: RegExp
  kept?: string
  retries?: number
}

const times = (count: number, fault: WireFault): WireAnswer[] => Array.from({ length: count }, () => ({ fault }))
const text = 'The first half of this answer arrives.'
const call = {
  id: 'call_1',
  name: 'TodoWrite',
  input: { todos: [{ content: 'never', status: 'pending', activeForm: 'never' }] },
}

const cases: Case[] = [
  {
    name: '429 that goes on',
    answers: times(4, 'rate-limit'),
    error: 'ProviderRateLimit',
    says: /429.*Too many requests/,
    retries: 3,
  },
  { name: '429 that passes', answers: times(1, 'rate-limit'), retries: 1 },
  { name: '429 with Retry-After in seconds', answers: times(1, 'rate-limit-seconds'), retries: 1 },
  { name: '429 with Retry-After as a date', answers: times(1, 'rate-limit-date'), retries: 1 },
  { name: '429 with retry-after-ms', answers: times(2, 'rate-limit-ms'), retries: 2 },
  {
    name: '500 that goes on',
    answers: times(4, 'server-error'),
    error: 'ProviderOverloaded',
    says: /500.*Internal error/,
    retries: 3,
  },
  { name: '500 that passes', answers: times(1, 'server-error'), retries: 1 },
  { name: '529', answers: times(1, 'overloaded'), retries: 1 },
  {
    name: '401',
    answers: times(1, 'unauthorized'),
    error: 'ProviderAuth',
    says: /refused the API key.*Set another key/,
  },
  { name: '400', answers: times(1, 'refused'), error: 'ProviderRefused', says: /Unsupported value/ },
  { name: 'too long a conversation that can be shortened', answers: times(1, 'context-too-long') },
  {
    name: 'a web page with 200',
    answers: times(1, 'html-200'),
    error: 'ProviderBadAnswer',
    says: /web page.*Bad gateway/,
  },
  {
    name: 'a web page with 502',
    answers: times(4, 'html-502'),
    error: 'ProviderOverloaded',
    says: /502.*web page/,
    retries: 3,
  },
  { name: 'JSON where a stream was asked for', answers: times(1, 'json-200'), retries: 1 },
  {
    name: 'cut JSON',
    answers: [{ fault: 'cut-json', turn: { text } }],
    error: 'ProviderBadAnswer',
    kept: 'The first half',
  },
  {
    name: 'a stream that ends too early',
    answers: [{ fault: 'cut-stream', turn: { text } }],
    error: 'ProviderBadAnswer',
    kept: 'The first half',
  },
  {
    name: 'an error inside the stream',
    answers: [{ fault: 'error-event', turn: { text } }],
    error: 'ProviderOverloaded',
    says: /Overloaded/,
    kept: text,
  },
  { name: 'silence before the first byte', answers: times(1, 'stall-start'), retries: 1 },
  {
    name: 'silence in the middle',
    answers: [{ fault: 'stall', turn: { text } }],
    error: 'ProviderStall',
    says: /sent nothing/,
    kept: 'The first half',
  },
  { name: 'a reset before the first byte', answers: times(1, 'reset-start'), retries: 1 },
  {
    name: 'a reset in the middle of a call',
    answers: [{ fault: 'reset', at: 0.8, turn: { text, calls: [call] } }],
    error: 'ProviderConnection',
    says: /closed the connection/,
    kept: text,
  },
  {
    name: 'a reset after a whole call',
    answers: [{ fault: 'reset', at: 0.97, turn: { text, calls: [call] } }],
    error: 'ProviderConnection',
    kept: text,
  },
]

const key = 'sk-live-0123456789abcdefghijklmnop'
let server: TestServer
let wires: WireServer[]
beforeAll(async () => {
  wires = await Promise.all([...cases.map(() => wireServer()), wireServer()])
  const providers = wires.map((wire, i) => [
    `wire${i}`,
    { type: 'openai-compatible', baseURL: wire.baseURL('custom'), apiKey: `${key}${i}`, models: ['m'] },
  ])
  server = await testServer({ config: { providers: Object.fromEntries(providers) as object }, stallMs: 1500 })
})
afterAll(async () => {
  await server.close()
  await Promise.all(wires.map((wire) => wire.close()))
})

describe('provider errors', () => {
  it('have a name and a readable text, leave nothing dangling, and the next turn works', async () => {
    const outcomes = await Promise.all(cases.map((one, i) => play(one, i)))
    for (const [i, { first, next }] of outcomes.entries()) {
      const { name, error, says = /./, kept = '', retries = 0, answers } = cases[i]!
      const { metadata, parts } = cleanMessage(first.message, { run: 'ended' })
      expect({ name, error: metadata?.error?.name }).toEqual({ name, error })
      expect({ name, text: metadata?.error?.message ?? '.' }).toEqual({
        name,
        text: expect.stringMatching(says) as string,
      })
      expect({ name, types: first.types.slice(-1) }).toEqual({ name, types: ['finish'] })
      const told = first.events.flatMap(({ chunk }) => (chunk.type === 'error' ? [chunk.errorText] : []))
      expect({ name, told }).toEqual({ name, told: error === undefined ? [] : [metadata?.error?.message] })
      expect({ name, retries: first.types.filter((type) => type === 'data-retry').length }).toEqual({ name, retries })
      const open = parts.filter((part) => 'state' in part && /^(input|approval)-|streaming/.test(String(part.state)))
      expect({ name, open }).toEqual({ name, open: [] })
      expect({ name, kept: textOf(first) }).toEqual({ name, kept: expect.stringContaining(kept) as string })
      const [, stored] = await server.messages(`fault${i}`)
      expect({ name, parts: shown(stored!).parts, metadata: stored!.metadata }).toEqual({ name, parts, metadata })
      expect({ name, next: textOf(next), error: next.message.metadata?.error }).toEqual({
        name,
        next: 'Good again.',
        error: undefined,
      })
      expect({ name, requests: wires[i]!.requests.length }).toEqual({
        name,
        requests: answers.length + (error === undefined ? 2 : 1),
      })
    }
    expect(server.lines.filter((line) => line.includes('"level":"error"'))).toEqual([])
  }, 30_000)

  it('a call in an answer that reached the output limit never runs, whole or cut', async () => {
    const wire = wires.at(-1)!
    for (const cutCall of [false, true]) {
      const id = `length-${cutCall}`
      wire.play({ turn: { text, calls: [call], finish: 'length', cutCall } }, { turn: { text: 'Good again.' } })
      const first = await server.chat(id, 'go', { model: `wire${cases.length}/m` })
      const results = first.message.parts.filter((part) => 'toolCallId' in part)
      expect(results.every((part) => part.state === 'output-error')).toBe(true)
      expect(first.message.metadata?.finishReason).toBe('length')
      expect(textOf(await server.chat(id, 'next'))).toBe('Good again.')
      expect(shown((await server.messages(id))[1]!)).toEqual(first.message)
    }
  })

  it('the key is in no log line, answer or file but the settings', async () => {
    const responses = await Promise.all(
      [
        '/ai/providers',
        '/ai/models?all=1',
        '/ai/sessions',
        ...cases.flatMap((_, i) => [`/ai/debug/fault${i}`, `/ai/sessions/fault${i}/messages`]),
      ].map(async (target) => (await server.request(target)).text()),
    )
    expect([...responses, ...server.lines].filter((one) => one.includes(key))).toEqual([])
    expect(wires[0]!.requests[0]!.headers.authorization).toBe(`Bearer ${key}0`)
    const holding = readdirSync(server.homePath, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const file = path.join(server.homePath, name)
      return statSync(file).isFile() && readFileSync(file).includes(key)
    })
    expect(holding).toEqual(['config.json'])
  })

  it('a provider that quotes the key does not reveal it', async () => {
    const wire = wires.at(-1)!
    const last = `${key}${cases.length}`
    wire.play({ turn: { text: 'x', error: { type: 'auth', message: `Your key ${last} is not ours` } } })
    const { message } = await server.chat('quoted', 'go', { model: `wire${cases.length}/m` })
    expect(message.metadata?.error?.message).toMatch(/key .* is not ours/)
    expect(JSON.stringify(message)).not.toContain(key)
    expect(server.lines.join('')).not.toContain(key)
  })
})

async function play({ answers }: Case, i: number): Promise<{ first: Chat; next: Chat }> {
  const wire = wires[i]!
  const good = { turn: { text: 'Good again.' } }
  wire.play(...answers, good, good)
  const first = await server.chat(`fault${i}`, userMessage('first', `f${i}`), { model: `wire${i}/m` })
  return { first, next: await server.chat(`fault${i}`, userMessage('next', `n${i}`)) }
}

function textOf({ message }: Chat): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}
