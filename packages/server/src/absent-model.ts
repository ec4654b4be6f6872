import type { LanguageModelV4 } from '@ai-sdk/provider'

/** Stands for a model that a run was started with and that is gone: whoever calls it hears what to set. */
export function absentModel(id: string, error: unknown): { id: string; model: LanguageModelV4 } {
  const refuse = (): Promise<never> => Promise.reject(error as Error)
  const [provider = id, ...rest] = id.split('/')
  const modelId = rest.join('/')
  return {
    id,
    model: { specificationVersion: 'v4', provider, modelId, supportedUrls: {}, doStream: refuse, doGenerate: refuse },
  }
}
