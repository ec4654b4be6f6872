import { limitBody } from '@troupe/core'
import type { ModelDraft } from '@troupe/protocol'
import type { CreateOptions } from './provider.ts'

export interface ReadOptions extends CreateOptions {
  signal?: AbortSignal | undefined
}

/** Reads `GET <baseURL>/models` in OpenAI's format. */
export async function listModels({ apiKey, headers, ...options }: ReadOptions): Promise<ModelDraft[]> {
  return (await listRawModels({ apiKey, headers, ...options })).map((model) => {
    const contextWindow = windowIn(model)
    return { id: model.id, contextWindow }
  })
}

/** OpenRouter, vLLM, llama.cpp, Mistral and others report it under different names. */
export function windowIn(model: RawModel): number | undefined {
  const { meta, limits } = model as { meta?: Record<string, unknown>; limits?: Record<string, unknown> }
  const told = [
    meta?.['n_ctx'],
    model['context_length'],
    model['max_model_len'],
    model['max_context_length'],
    model['context_window'],
    model['n_ctx'],
    limits?.['max_context_length'],
  ]
  return told.find((value): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 512)
}

export interface RawModel {
  id: string
  owned_by?: string
  [field: string]: unknown
}

export async function listRawModels({ apiKey, headers, ...options }: ReadOptions): Promise<RawModel[]> {
  const list = (await fetchJson('/models', {
    ...options,
    headers: bearer(apiKey, headers),
  })) as { data?: unknown }
  if (!Array.isArray(list?.data)) throw new Error('the response of /models is not a list of models')
  return list.data.filter((model: unknown): model is RawModel => typeof (model as RawModel)?.id === 'string')
}

/** A header in the settings wins over the key. */
export function bearer(apiKey: string | undefined, headers: ReadOptions['headers']): ReadOptions['headers'] {
  return apiKey ? { authorization: `Bearer ${apiKey}`, ...headers } : headers
}

/** A non-2xx response in the format `describeProviderError` reads. */
class HttpError extends Error {
  readonly statusCode: number
  readonly responseBody: string
  readonly responseHeaders: Record<string, string>

  constructor(url: string, status: number, body: string, headers: Headers) {
    super(`${url} answered ${status}`)
    this.name = 'HttpError'
    this.statusCode = status
    this.responseBody = body
    this.responseHeaders = Object.fromEntries(headers)
  }
}

const maxListBytes = 32 << 20

export async function fetchJson(path: string, options: ReadOptions): Promise<unknown> {
  const url = `${options.baseURL?.replace(/\/+$/, '') ?? ''}${path}`
  const response = await (options.fetch ?? fetch)(url, {
    headers: { accept: 'application/json', ...options.headers },
    signal: options.signal,
  })
  const error = (): Error => new Error(`${url} answered with more than ${maxListBytes >> 20} MiB`)
  const body = await limitBody(response, { bytes: maxListBytes, perLine: false, error }).text()
  if (!response.ok) throw new HttpError(url, response.status, body, response.headers)
  try {
    return JSON.parse(body)
  } catch {
    throw new HttpError(url, response.status, body, response.headers)
  }
}
