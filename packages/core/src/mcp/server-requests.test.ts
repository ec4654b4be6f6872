import { describe, expect, it } from 'vitest'
import type { Question } from '../../../protocol/src/questions.ts'
import type { Answer } from '../tool/asks.ts'
import type { AskRequest } from '../tool/tool.ts'
import { answerElicitation } from './server-requests.ts'

interface Asked {
  title: string
  questions: Question[]
}

/** Fills a form with these answers in order. The last answer repeats. */
async function fill(
  properties: object,
  required: string[],
  ...answers: (Record<string, unknown> | 'decline')[]
): Promise<{ result: unknown; asked: Asked[] }> {
  const asked: Asked[] = []
  const ask = ({ title, content }: AskRequest): Promise<Answer> => {
    asked.push({ title, questions: (content as { questions: Question[] }).questions })
    const given = answers[Math.min(asked.length, answers.length) - 1] as Record<string, unknown> | 'decline'
    return Promise.resolve(given === 'decline' ? { type: 'deny' } : { type: 'answers', answers: given })
  }
  const requestedSchema = { type: 'object' as const, properties: properties as never, required }
  const result = await answerElicitation('shop', { message: 'Who?', requestedSchema }, { ask } as never).catch(
    (error: unknown) => (error as Error).message,
  )
  return { result, asked }
}

describe('the form of a server', () => {
  it('has only valid answers: text is typed, and only optional fields can be skipped', async () => {
    const text = { type: 'string', title: 'Name' }
    const { asked, result } = await fill({ name: text, nick: text }, ['name'], { '0': 'Ada', '1': 'Skip' })
    expect(asked[0]?.questions.map(({ options }) => options.map(({ label }) => label))).toEqual([[], ['Skip']])
    expect(result).toEqual({ action: 'accept', content: { name: 'Ada' } })
  })

  const wrong: [string, object, string, string, unknown][] = [
    ['an email address', { type: 'string', format: 'email' }, 'I will write it', 'a@b.example', 'a@b.example'],
    ['an address', { type: 'string', format: 'uri' }, 'example dot com', 'https://a.example/x', 'https://a.example/x'],
    ['a date', { type: 'string', format: 'date' }, '2026-02-30', '2026-02-28', '2026-02-28'],
    ['a time', { type: 'string', format: 'date-time' }, '2026-02-28', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z'],
    ['at least 3 characters', { type: 'string', minLength: 3 }, 'ab', 'abc', 'abc'],
    ['at most 3 characters', { type: 'string', maxLength: 3 }, 'abcd', '👍👍👍', '👍👍👍'],
    ['from 1 to 5', { type: 'integer', minimum: 1, maximum: 5 }, '6', '5', 5],
    ['a whole number', { type: 'integer' }, '1.5', '2', 2],
    ['at least 0', { type: 'number', minimum: 0 }, 'Infinity and more', '0.5', 0.5],
    ['not one of the options', { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] }, 'm', 'Small', 's'],
    ['yes or no', { type: 'boolean' }, 'perhaps', 'No', false],
    ['at most 1', { type: 'array', maxItems: 1, items: { enum: ['a', 'b, c'] } }, 'a,a', 'b, c', ['b, c']],
    ['at least 2', { type: 'array', minItems: 2, items: { enum: ['a', 'b'] } }, 'a', 'a, b', ['a', 'b']],
  ]
  it.each(wrong)('asks again for %s, and sends nothing invalid', async (limit, schema, bad, good, value) => {
    const { result, asked } = await fill({ it: schema }, ['it'], { answer: bad }, { answer: good })
    expect(asked).toHaveLength(2)
    expect(asked[1]?.title).toContain(
      limit.replace('an address', 'a URL, such as').replace('a time', 'a date and time'),
    )
    expect(result).toEqual({ action: 'accept', content: { it: value } })
  })

  it('asks again only for invalid fields, and gives up in the end', async () => {
    const properties = { name: { type: 'string' }, mail: { type: 'string', format: 'email' } }
    const { result, asked } = await fill(properties, ['name', 'mail'], { '0': 'Ada', '1': 'x' }, { '0': 'a@b.example' })
    expect(asked.map(({ questions }) => questions.map(({ question }) => question))).toEqual([
      ['name', 'mail'],
      ['mail'],
    ])
    expect(result).toEqual({ action: 'accept', content: { name: 'Ada', mail: 'a@b.example' } })
    expect((await fill(properties, [], { '0': 'Ada', '1': 'x' }, { '0': 'x' })).result).toMatch(/do not fit/)
    expect((await fill(properties, [], { '0': 'Ada', '1': 'x' }, 'decline')).result).toEqual({ action: 'decline' })
  })
})
