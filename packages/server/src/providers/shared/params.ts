import type { Param } from '@troupe/protocol'

/**
 * Common settings for a provider's `params`. Ranges follow the provider's documentation. A default is given only if it
 * applies to all of its models.
 */

export function temperature(max: number): Param {
  return {
    name: 'temperature',
    type: 'number',
    label: 'Temperature',
    note: 'Low keeps to the likely words, high is more varied.',
    min: 0,
    max,
    step: 0.1,
  }
}

export const topP: Param = {
  name: 'topP',
  type: 'number',
  label: 'Top P',
  note: 'Only the likeliest words that together have this probability.',
  min: 0,
  max: 1,
  step: 0.05,
}

export const topK: Param = {
  name: 'topK',
  type: 'integer',
  label: 'Top K',
  note: 'Only this many of the likeliest words.',
  min: 1,
  max: 500,
}

/** Limited to the model's maximum, if known. */
export function maxOutputTokens(model: { maxOutputTokens?: number }): Param {
  return {
    name: 'maxOutputTokens',
    type: 'integer',
    label: 'Longest answer',
    note: 'In tokens; an answer that is longer is cut.',
    min: 1,
    max: model.maxOutputTokens ?? 1_000_000,
  }
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export function reasoning(options: Effort[]): Param {
  return {
    name: 'reasoning',
    type: 'choice',
    label: 'Reasoning effort',
    note: 'How long it thinks before it answers.',
    options,
  }
}

export const presencePenalty = penalty('presencePenalty', 'Presence penalty', 'Above zero: new topics rather than old.')
export const frequencyPenalty = penalty('frequencyPenalty', 'Frequency penalty', 'Above zero: fewer repetitions.')

function penalty(name: string, label: string, note: string): Param {
  return { name, type: 'number', label, note, min: -2, max: 2, step: 0.1, default: 0 }
}

export const seed: Param = {
  name: 'seed',
  type: 'integer',
  label: 'Seed',
  note: 'The same seed and the same question give, as far as the provider can, the same answer.',
  min: 0,
  max: 2_147_483_647,
}

export const stopSequences: Param = {
  name: 'stopSequences',
  type: 'texts',
  label: 'Stop at',
  note: 'The answer ends where one of these would be written.',
  max: 4,
}

/** Length of the answer, independent of reasoning. OpenAI's newer models only. */
export const verbosity: Param = {
  name: 'verbosity',
  type: 'choice',
  label: 'Length of answers',
  options: ['low', 'medium', 'high'],
  default: 'medium',
  option: { provider: 'openai', key: 'textVerbosity' },
}

export function chatCompletionParams(model: { maxOutputTokens?: number }): Param[] {
  return [
    temperature(2),
    topP,
    maxOutputTokens(model),
    reasoning(['none', 'low', 'medium', 'high']),
    frequencyPenalty,
    presencePenalty,
    seed,
    stopSequences,
  ]
}

/** Checks the tags, or the id for an untagged model if its provider names models that way. */
export function isReasoning({ id, tags }: { id: string; tags?: string[] }, named?: RegExp): boolean {
  return tags?.includes('reasoning') ?? named?.test(id) ?? false
}
