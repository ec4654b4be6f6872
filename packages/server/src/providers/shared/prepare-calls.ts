import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelFactory } from '../../provider.ts'

type Prepare = (options: LanguageModelV4CallOptions, modelId: string) => LanguageModelV4CallOptions

/** The options for another try after this error, or nothing. */
type Repair = (error: unknown, options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions | undefined

/** The models of a provider, with what its API wants to be asked for in every call. */
export function prepareCalls(factory: ModelFactory, prepare: Prepare, mend?: Repair): ModelFactory {
  return new Proxy(factory, {
    apply(target, _, [modelId]: [string]) {
      const model = target(modelId)
      const prepared: LanguageModelV4 = {
        specificationVersion: 'v4',
        provider: model.provider,
        modelId: model.modelId,
        supportedUrls: model.supportedUrls,
        doGenerate: (options) => call((given) => model.doGenerate(given), prepare(options, modelId)),
        doStream: (options) => call((given) => model.doStream(given), prepare(options, modelId)),
      }
      return prepared
    },
  })

  async function call<T>(
    work: (options: LanguageModelV4CallOptions) => PromiseLike<T>,
    options: LanguageModelV4CallOptions,
  ): Promise<T> {
    try {
      return await work(options)
    } catch (error) {
      const mended = mend?.(error, options)
      if (mended === undefined) throw error
      return work(mended)
    }
  }
}

type Options = Record<string, unknown>

/** The call with options of a provider; what the call says itself goes before them. */
export function withOptions(
  options: LanguageModelV4CallOptions,
  provider: string,
  defaults: Options,
): LanguageModelV4CallOptions {
  const { providerOptions } = options
  const merged = { ...defaults, ...providerOptions?.[provider] }
  return { ...options, providerOptions: { ...providerOptions, [provider]: merged } as typeof providerOptions & object }
}
