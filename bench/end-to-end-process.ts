import { fork, type ChildProcess } from 'node:child_process'
import http from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reply, tell } from './measure.ts'

export type ServerKind = 'troupe' | 'sdk' | 'forward'

export interface BenchServer {
  /** CPU microseconds of one turn: until the first word can be sent, and until the response has ended. */
  shortTurns(chats: number): Promise<{ beforeFirstWord: number; whole: number }>
  /** CPU microseconds per word while this many chats get a long answer at once. */
  longTurns(chats: number): Promise<number>
  close(): void
}

export interface Provider {
  open(kind: ServerKind): Promise<BenchServer>
  close(): void
}

const words = 500
/** A chat starts again after this many turns, as a mix of new and running chats. */
const turnsPerChat = 5
/** Servers may still write what they have received when the model is called. It is part of the turn. */
const settleMs = 40

export async function openProvider(): Promise<Provider> {
  const provider = start('provider')
  const { port: providerPort } = (await reply(provider)) as { port: number }
  return {
    async open(kind) {
      const child = start(kind, `http://127.0.0.1:${providerPort}/v1`)
      const { port, token } = (await reply(child)) as { port: number; token: string }
      return openServer(kind, child, provider, { port, token })
    },
    close: () => void (provider.connected && provider.disconnect()),
  }
}

function openServer(
  kind: ServerKind,
  child: ChildProcess,
  provider: ChildProcess,
  address: { port: number; token: string },
): BenchServer {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })
  const chats: { id: string; messages: Message[] }[] = []
  let made = 0

  return {
    async shortTurns(count) {
      await tell(child, 'begin')
      const answers = Array.from({ length: count }, (_, i) => turn(i, 'hold', 1))
      await Promise.race([tell(provider, `held ${count}`), Promise.all(answers)])
      await sleep(settleMs)
      const beforeFirstWord = await cpu()
      await tell(provider, 'release')
      await Promise.all(answers)
      await sleep(settleMs)
      return { beforeFirstWord: beforeFirstWord / count, whole: (await cpu()) / count }
    },
    async longTurns(count) {
      await tell(child, 'begin')
      await Promise.all(Array.from({ length: count }, (_, i) => turn(i, `words-${words}`, words)))
      await sleep(settleMs)
      return (await cpu()) / (count * words)
    },
    close() {
      agent.destroy()
      if (child.connected) child.disconnect()
    },
  }

  async function cpu(): Promise<number> {
    return ((await tell(child, 'cpu')) as { cpuMicros: number }).cpuMicros
  }

  /** Sends the next message of a chat and reads the answer to its end. */
  async function turn(at: number, model: string, minWords: number): Promise<void> {
    if ((chats[at]?.messages.length ?? Infinity) >= 2 * turnsPerChat)
      chats[at] = { id: `bench-${++made}`, messages: [] }
    const chat = chats[at]!
    const message = userMessage(`m-${++made}`, 'Say a few words about it.')
    const body =
      kind === 'troupe'
        ? { sessionId: chat.id, model: `bench/${model}`, message }
        : { id: chat.id, model, messages: [...chat.messages, message] }
    const text = await post(JSON.stringify(body))
    const found = text.split('word').length - 1
    if (found < minWords) throw new Error(`${kind} sent ${found} of ${minWords} words: ${text.slice(0, 500)}`)
    chat.messages.push(message, { ...userMessage(`a-${made}`, 'word0'), role: 'assistant' })
  }

  function post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          agent,
          port: address.port,
          host: '127.0.0.1',
          path: '/ai/chat',
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${address.token}` },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))))
          response.on('error', reject)
        },
      )
      request.on('error', reject)
      request.end(body)
    })
  }
}

interface Message {
  id: string
  role: 'user' | 'assistant'
  parts: { type: 'text'; text: string }[]
}

function userMessage(id: string, text: string): Message {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

function start(role: string, ...args: string[]): ChildProcess {
  return fork(path.join(import.meta.dirname, 'end-to-end-child.ts'), [role, ...args], {
    execArgv: ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
}
