import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { convertToModelMessages } from 'ai'
import { convertToLanguageModelPrompt } from 'ai/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message, Part } from '../../../protocol/src/message.ts'
import { anyAnswer, anyUserMessage, type Told } from '../../../protocol/testing/arbitrary-messages.ts'
import { patience, runs } from '../../../protocol/testing/test-effort.ts'
import { project } from './project.ts'
import { wellFormed } from '../text/format.ts'

describe('compared with the AI SDK', { timeout: patience }, () => {
  it('the projection is equal for messages without our special cases', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyUserMessage, anyAnswer), { minLength: 1, maxLength: 3 }), async (turns) => {
        const messages = [
          ...turns.flat(),
          { role: 'user', parts: [{ type: 'text', text: 'next' }] } satisfies Told,
        ].map(plainly)
        expect(withoutWhose(json(project(messages, 'Be kind.')))).toEqual(
          json(inTurn(await projectByTheSdk(messages, 'Be kind.'))),
        )
      }),
      runs(150),
    )
  })
})

async function projectByTheSdk(messages: readonly Told[], instructions: string): Promise<LanguageModelV4Prompt> {
  return convertToLanguageModelPrompt({
    prompt: { instructions, messages: await convertToModelMessages<Message>([...messages]) },
    supportedUrls: { '*/*': [/.*/] },
    download: (files) => Promise.resolve(files.map(() => null)),
  })
}

/** Intended difference: we say who made a remark. */
function withoutWhose(prompt: unknown): unknown {
  return JSON.parse(JSON.stringify(prompt).replaceAll('"value":"Denied. The user said: ', '"value":"')) as unknown
}

/** Intended difference: adjacent messages of one role are merged. */
function inTurn(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const merged: LanguageModelV4Prompt = []
  for (const message of prompt) {
    const last = merged.at(-1)
    if (message.role === last?.role && message.role !== 'system') (last.content as unknown[]).push(...message.content)
    else merged.push(message)
  }
  return merged
}

/**
 * Removes the other intended differences: blank texts and errors, trailing reasoning, lone surrogates, illegal names,
 * duplicate IDs, non-object inputs, unfetchable blobs and URLs, skills, stored text for the model, approvals of
 * provider-executed tools, and denials without a remark (we use our own wording).
 */
function plainly({ role, parts }: Told, place = 0): Told {
  const plain = parts.flatMap((part): Part[] => {
    const draft: Record<string, unknown> = wellFormed({ ...part })
    if (part.type.startsWith('data-')) return []
    if (part.type === 'text' || part.type === 'reasoning') {
      return [{ ...draft, text: `a${String(draft['text'])}` } as Part]
    }
    if (part.type === 'file' || part.type === 'reasoning-file') {
      const url = part.url.startsWith('data:image/png;base64,') ? part.url : 'https://example.com/a.png'
      return [{ ...draft, url, mediaType: 'image/png', filename: 'a.png' } as Part]
    }
    if (part.type === 'step-start') return [done, part]
    if (part.type === 'steering-message') {
      return [done, { ...part, parts: plainly({ role: 'user', parts: part.parts }).parts as typeof part.parts }]
    }
    return 'toolCallId' in part ? [plainCall({ ...draft, toolCallId: `${place}-${part.toolCallId}` })] : [draft as Part]
  })
  return { role, parts: [...plain, done] }
}

const done: Part = { type: 'text', text: 'done' }

function plainCall({ toolMetadata: _, providerExecuted, approval, ...draft }: Record<string, unknown>): Part {
  const own = providerExecuted === true
  const { reason, ...asked } = (approval ?? {}) as { reason?: string }
  if (own && draft['state'] === 'output-denied') draft['state'] = 'output-error'
  return {
    ...draft,
    ...(draft['type'] === 'dynamic-tool' ? { toolName: 'Read' } : { type: 'tool-Read' }),
    input:
      typeof draft['input'] === 'object' && draft['input'] !== null && !Array.isArray(draft['input'])
        ? draft['input']
        : {},
    ...(draft['state'] === 'output-error' && { errorText: `e${String(draft['errorText'])}` }),
    ...(own && { providerExecuted }),
    ...(!own && approval !== undefined && { approval: { ...asked, reason: `r${reason}` } }),
  } as Part
}

function json(value: LanguageModelV4Prompt): unknown[] {
  return JSON.parse(JSON.stringify(value)) as unknown[]
}
