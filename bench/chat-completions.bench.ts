import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { readChatCompletions } from '../packages/server/src/providers/shared/chat-completions.ts'
import { median, micros, times } from './measure.ts'

const encoder = new TextEncoder()
const event = (delta: object, finish: string | null = null): Uint8Array => {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const chunk = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'm', choices }
  return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)
}

/** CPU microseconds of a call that answers with this many words, each in its own network chunk. */
async function callCost(model: LanguageModelV4, words: number, calls: number): Promise<number> {
  wordsToSay = words
  const before = process.cpuUsage()
  for (let i = 0; i < calls; i++) {
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say a few words about it.' }] }]
    const { stream } = await model.doStream({ prompt })
    const reader = stream.getReader()
    while (!(await reader.read()).done);
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

function respond(words: number): Response {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ < words) return controller.enqueue(event({ content: ` word${sent % 10}` }))
      controller.enqueue(event({}, 'stop'))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

let wordsToSay = 0
const fetch = (): Promise<Response> => Promise.resolve(respond(wordsToSay))
const sdk = createOpenAICompatible({ name: 'bench', baseURL: 'http://bench/v1', fetch })('m')
const models = { sdk, ours: readChatCompletions(sdk) }

export const benches = [
  {
    name: 'chat completions: CPU of reading an answer, our reader and the SDK',
    bar: 'at most half of the SDK',
    async run() {
      const costs = {
        sdk: { call: [] as number[], delta: [] as number[] },
        ours: { call: [] as number[], delta: [] as number[] },
      }
      for (let round = 0; round < 12; round++)
        for (const kind of ['sdk', 'ours'] as const) {
          const call = await callCost(models[kind], 1, 50)
          const long = await callCost(models[kind], 500, 5)
          if (round < 2) continue
          costs[kind].call.push(call)
          costs[kind].delta.push((long - call) / 499)
        }
      const of = (kind: 'sdk' | 'ours', what: 'call' | 'delta'): number => median(costs[kind][what])
      const ratio = of('ours', 'delta') / of('sdk', 'delta')
      const list = (what: 'call' | 'delta'): string => `${micros(of('ours', what))} / ${micros(of('sdk', what))}`
      return {
        value: times(ratio),
        ok: ratio <= 0.5,
        detail: `per delta ${list('delta')}; call with one word ${list('call')}`,
      }
    },
  },
]
