import type { LanguageModelV4Content, LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** Reads a model's stream to its end as one result, for `doGenerate`. An error inside the stream is thrown. */
export async function collect(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>()

  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block = { type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const), text: '' }
        open.set(part.id, block)
        content.push(block)
        break
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = open.get(part.id)
        if (block) block.text += part.delta
        break
      }
      case 'tool-call':
      case 'tool-result':
      case 'file':
      case 'source':
        content.push(part)
        break
      case 'error':
        throw part.error
      case 'finish':
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
      default:
    }
  }
  throw new Error('The stream ended before the model had finished.')
}
