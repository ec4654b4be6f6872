import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { setTimeout as wait } from 'node:timers/promises'

const paragraph = (index: number): string =>
  [
    `### Step ${index}`,
    `The **${index}th** thing to know is \`value${index}\`, as [the page](https://example.org/${index}) has it, and it goes on for a while so that a paragraph is one.`,
    `- first of ${index}\n- second, with *stress*\n- third`,
    `\`\`\`ts\nexport const value${index} = () => {\n  return [${index}, ${index + 1}].map((one) => one * 2)\n}\n\`\`\``,
    `| name | value |\n|---|---|\n| a | ${index} |\n| b | ${index + 1} |`,
  ].join('\n\n') + '\n\n'

export function piecesOf(count: number): string[] {
  const text = Array.from({ length: Math.ceil(count / 8) }, (_, index) => paragraph(index)).join('')
  const size = 14
  return Array.from({ length: count }, (_, index) => text.slice(index * size, (index + 1) * size))
}

/** Streams the pieces at a steady pace. After a delay, all due pieces come together. */
export function tickingModel(pieces: string[], perSecond: number): LanguageModelV4 {
  async function* parts(signal: AbortSignal | undefined): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: 'stream-start', warnings: [] }
    yield { type: 'text-start', id: '0' }
    const start = performance.now()
    for (const [index, delta] of pieces.entries()) {
      const early = start + (index * 1000) / perSecond - performance.now()
      if (early > 0) await wait(early)
      signal?.throwIfAborted()
      yield { type: 'text-delta', id: '0', delta }
    }
    yield { type: 'text-end', id: '0' }
    yield {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: pieces.length, text: pieces.length, reasoning: undefined },
      },
    }
  }
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'ticking',
    supportedUrls: {},
    doStream: async ({ abortSignal }) => ({ stream: streamOf(parts(abortSignal)) }),
    doGenerate: () => Promise.reject(new Error('This model only streams.')),
  }
}

function streamOf<Value>(values: AsyncGenerator<Value>): ReadableStream<Value> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await values.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
}
