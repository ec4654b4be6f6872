import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { CreateOptions } from '../../provider.ts'
import { forMistral } from './for-mistral.ts'
import { markChatCompletion } from './prompt-cache.ts'

/** Everything that speaks OpenAI's chat completions at an address of its own. */
export async function createOpenAICompatible(options: CreateOptions): Promise<(modelId: string) => LanguageModelV4> {
  const { id = 'custom', apiKey, baseURL, headers, fetch } = options
  if (!baseURL) throw new Error('it has no base URL')
  const sdk = await import('@ai-sdk/openai-compatible')
  return sdk.createOpenAICompatible({
    name: id,
    baseURL,
    includeUsage: true,
    transformRequestBody: (body) => markChatCompletion(forMistral(body)),
    ...(apiKey && { apiKey }),
    ...(headers && { headers }),
    ...(fetch && { fetch }),
  })
}
