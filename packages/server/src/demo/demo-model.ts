import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { scriptedModel } from '@troupe/core/testing'
import { atSpeed, readRequest } from './scene.ts'
import { nextTurn } from './scenes.ts'

/** A factor (2 is twice as fast), or no waiting at all. */
export type DemoSpeed = number | 'instant'

export interface DemoModelOptions {
  /** Default: what `TROUPE_DEMO_SPEED` says, else 1. */
  speed?: DemoSpeed
  modelId?: string
}

/** What a person can choose for a session. */
const paces: Readonly<Record<string, DemoSpeed>> = { slow: 0.25, normal: 1, instant: 'instant' }

/**
 * The demo: a script that looks at the last words of the person and at the results since. The same conversation gets
 * the same answer in every process, so it also goes on after a crash.
 */
export function demoModel(options: DemoModelOptions = {}): LanguageModelV4 {
  const speed = options.speed ?? demoSpeed(process.env['TROUPE_DEMO_SPEED'])
  const paceOf = ({ providerOptions }: LanguageModelV4CallOptions): DemoSpeed =>
    paces[providerOptions?.['demo']?.['pace'] as string] ?? speed
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
