import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { scriptedModel } from '@troupe/core/testing'
import { atSpeed, readRequest } from './scene.ts'
import { nextTurn } from './scenes.ts'

/** A factor (2 is twice as fast), or `instant` for no delays. */
export type DemoSpeed = number | 'instant'

export interface DemoModelOptions {
  /** Default: `TROUPE_DEMO_SPEED` at the time of a request, else 1. */
  speed?: DemoSpeed
  modelId?: string
}

const paces: Readonly<Record<string, DemoSpeed>> = { slow: 0.25, normal: 1, instant: 'instant' }

/**
 * A scripted model that looks only at the last user message and the results since. It is deterministic across
 * processes, so it also continues after a crash.
 */
export function demoModel(options: DemoModelOptions = {}): LanguageModelV4 {
  const speed = (): DemoSpeed => options.speed ?? demoSpeed(process.env['TROUPE_DEMO_SPEED'])
  // An invalid value is reported at once.
  speed()
  const paceOf = ({ providerOptions }: LanguageModelV4CallOptions): DemoSpeed =>
    paces[providerOptions?.['demo']?.['pace'] as string] ?? speed()
  return scriptedModel((_prompt, _index, request) => atSpeed(nextTurn(readRequest(request)), paceOf(request)), {
    by: 'prompt',
    provider: 'demo',
    modelId: options.modelId ?? 'tour',
    record: false,
  })
}

export function demoSpeed(value: string | undefined): DemoSpeed {
  if (value === undefined || value === '') return 1
  if (value === 'instant') return 'instant'
  const factor = Number(value)
  if (factor > 0) return Number.isFinite(factor) ? factor : 'instant'
  throw new Error(`TROUPE_DEMO_SPEED is "${value}"; set it to a factor such as 2, or to instant.`)
}
