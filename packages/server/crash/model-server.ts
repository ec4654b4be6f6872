import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { chatCompletions, commonUsage } from '../src/testing/wire-formats/chat-completions.ts'
import type { WireTurn } from '../src/testing/wire-formats/wire-turn.ts'
import { scriptOf } from './script.ts'

export interface ModelServer {
  baseURL: string
  close(): Promise<void>
}

interface WireMessage {
  role: string
  content?: string | { text?: string }[] | null
}

/**
 * A provider that outlives the servers under test and answers each of them alike: the last question `seed:<n>.` names
 * the script, the answers behind it count the steps.
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
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; messages: WireMessage[] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [i, event] of format.events(turnFor(body.messages), body.model).entries()) {
      if (response.destroyed) return
      response.write(event)
      if (i % 5 === 4) await sleep(Math.random() * 8)
    }
    response.end()
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

const question = /seed:(\d+)\./

function turnFor(messages: WireMessage[]): WireTurn {
  const asked = messages.findLastIndex((message) => message.role === 'user' && question.test(textOf(message)))
  const script = scriptOf(Number(question.exec(textOf(messages[asked] as WireMessage))?.[1]))
  const since = messages.slice(asked)
  const heard = since.filter((message) => message.role === 'user').map(textOf)
  return (
    script[since.filter((message) => message.role === 'assistant').length] ?? { text: `Heard: ${heard.join(', ')}` }
  )
}

function textOf({ content }: WireMessage): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')
}
