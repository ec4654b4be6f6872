import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { createThinkTags } from './think-tags.ts'

function play(text: string, size: number): { text: string; thoughts: string; resets: number; texts: number } {
  const seen = { text: '', thoughts: '', resets: 0, texts: 0 }
  const tags = createThinkTags('local.chat', () => seen.text)!
  const given: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    ...(text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []).map(
      (delta) => ({ type: 'text-delta', id: 't', delta }) as const,
    ),
    { type: 'text-end', id: 't' },
  ]
  for (const one of given) for (const part of tags.push(one)) note(part)
  return seen

  function note(part: ReturnType<typeof tags.push>[number]): void {
    if (part.type === 'reset') Object.assign(seen, { text: '', thoughts: '', texts: 0, resets: seen.resets + 1 })
    if (part.type === 'text-start') seen.texts++
    if (part.type === 'text-delta') seen.text += part.delta
    if (part.type === 'reasoning-delta') seen.thoughts += part.delta
  }
}

describe('reasoning as text', () => {
  const plain = (text: string) => ['', text]
  const cases: [name: string, given: string, thoughts: string, text: string][] = [
    ['tags', '<think>secret plan</think>\n\nThe answer.', 'secret plan', 'The answer.'],
    ['other tags', '<thinking>\nplan\n</thinking>\nThe answer.', 'plan\n', 'The answer.'],
    ['brackets', '[THINK]plan [1][/THINK]The answer.', 'plan [1]', 'The answer.'],
    ['triangles', '◁think▷plan◁/think▷The answer.', 'plan', 'The answer.'],
    ['a tag with a name', '<seed:think>plan < x</seed:think>The answer.', 'plan < x', 'The answer.'],
    ['a thought', '<thought>plan</thought>\nThe answer.', 'plan', 'The answer.'],
    ['an answer with a bracket', '[THE answer]', '', '[THE answer]'],
    ['blanks before', '\n <think>plan</think>The answer.', 'plan', 'The answer.'],
    ['no thoughts', '<think>\n\n</think>\n\nThe answer.', '', 'The answer.'],
    ['no opening tag', 'secret plan</think>\n\nThe answer.', 'secret plan', 'The answer.'],
    [
      'no opening tag, the answer right after',
      'Let me see. It is 4.</think>It is 4.',
      'Let me see. It is 4.',
      'It is 4.',
    ],
    ['no opening tag, a line of its own', 'plan\n</think> The answer.', 'plan', 'The answer.'],
    ['no closing tag', '<think>endless', 'endless', ''],
    ['nothing but thoughts', '<think>plan</think>', 'plan', ''],
    ['a plain answer', 'The answer.', ...plain('The answer.')] as never,
    ['an answer with a smaller-than sign', '<3 and <b>bold</b>', ...plain('<3 and <b>bold</b>')] as never,
    ['a word about the tag', 'Write `</think>`\nat the end.', ...plain('Write `</think>`\nat the end.')] as never,
    ['prose about the tag', 'The </think> tag ends it.', ...plain('The </think> tag ends it.')] as never,
    [
      'both tags in the middle',
      'Use <think>x</think>\nlike this.',
      ...plain('Use <think>x</think>\nlike this.'),
    ] as never,
    ['code', 'Like so:\n```\nplan\n</think>\n```\n', ...plain('Like so:\n```\nplan\n</think>\n```\n')] as never,
    ['later tags', '<think>a</think>b <think>c</think>\n', 'a', 'b <think>c</think>\n'],
  ]
  it.each(cases)('%s', (_, given, thoughts, text) => {
    for (const size of [1, 3, 1000]) {
      const seen = play(given, size)
      expect({ thoughts: seen.thoughts, text: seen.text }).toEqual({ thoughts, text })
      expect(seen.texts).toBe(text === '' ? 0 : 1)
    }
  })

  it('retracts only text that was shown by mistake', () => {
    expect(play('<think>plan</think>The answer.', 1).resets).toBe(0)
    expect(play('plan</think>\nThe answer.', 1).resets).toBe(1)
  })

  it('ignores providers that separate reasoning themselves', () => {
    for (const provider of ['anthropic.messages', 'openai.responses', 'google.generative-ai'])
      expect(createThinkTags(provider)).toBeUndefined()
  })
})
