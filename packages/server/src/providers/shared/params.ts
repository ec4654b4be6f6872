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
    note: 'Lower is more predictable, higher is more varied.',
    min: 0,
    max,
    step: 0.1,
  }
}

export const topP: Param = {
  name: 'topP',
  type: 'number',
  label: 'Top P',
  note: 'Only consider the most likely words up to this total probability.',
  min: 0,
  max: 1,
  step: 0.05,
}

export const topK: Param = {
  name: 'topK',
  type: 'integer',
  label: 'Top K',
  note: 'Only consider this many of the most likely words.',
  min: 1,
  max: 500,
}

/** Limited to the model's maximum, if known. */
export function maxOutputTokens(model: { maxOutputTokens?: number }): Param {
  return {
    name: 'maxOutputTokens',
    type: 'integer',
    label: 'Max output tokens',
    note: 'Longer answers are cut off.',
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
    note: 'How much the model thinks before it answers.',
    options,
  }
}

export const presencePenalty = penalty('presencePenalty', 'Presence penalty', 'Above zero favors new topics.')
export const frequencyPenalty = penalty('frequencyPenalty', 'Frequency penalty', 'Above zero reduces repetition.')

function penalty(name: string, label: string, note: string): Param {
  return { name, type: 'number', label, note, min: -2, max: 2, step: 0.1, default: 0 }
}

export const seed: Param = {
  name: 'seed',
  type: 'integer',
  label: 'Seed',
  note: 'With the same seed, the provider tries to give the same answer to the same question.',
  min: 0,
  max: 2_147_483_647,
}

export const stopSequences: Param = {
  name: 'stopSequences',
  type: 'texts',
  label: 'Stop sequences',
  note: 'The answer ends before the first of these.',
  max: 4,
}

/** Length of the answer, independent of reasoning. OpenAI's newer models only. */
export const verbosity: Param = {
  name: 'verbosity',
  type: 'choice',
  label: 'Answer length',
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
