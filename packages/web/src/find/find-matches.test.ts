import type { TextMatch, TextMatches } from '@troupe/core'
import { expect, test } from 'vitest'
import { createFindStore } from './find-matches.ts'

const match = (messageId: string, count: number, isOnBranch = true, calls: TextMatch['calls'] = []): TextMatch => ({
  messageId,
  role: 'user',
  count,
  calls,
  snippet: '',
  isOnBranch,
})

function open(answers: Record<string, Promise<TextMatches> | TextMatches>) {
  const asked: string[] = []
  const errors: unknown[] = []
  const api = {
    matches: (_: string, { text, leaf }: { text: string; leaf?: string }) => {
      asked.push(`${text} ${leaf}`)
      return Promise.resolve(answers[text] ?? { matches: [], isCut: false })
    },
  }
  return { find: createFindStore('s1', { api, onError: (error) => errors.push(error) }), asked, errors }
}

const where = { leaf: 'a9', inSight: ['a5', 'u6'] }

test('each match is selected in turn, starting at the current position', async () => {
  const { find, asked } = open({
    fox: { matches: [match('u1', 2), match('u6', 1), match('b2', 1, false)], isCut: false },
  })
  await find.look(' fox ', where)
  expect(asked).toEqual(['fox a9'])
  expect(find.getState().places).toHaveLength(4)
  const at = () => {
    const { places, index } = find.getState()
    return `${places?.[index]?.messageId} ${places?.[index]?.ordinal}`
  }
  expect(at()).toBe('u6 0')
  find.step(1)
  expect(at()).toBe('b2 0')
  find.step(1)
  expect(at()).toBe('u1 0')
  find.step(1)
  expect(at()).toBe('u1 1')
  find.step(-1)
  find.step(-1)
  expect(at()).toBe('b2 0')
})

test('matching calls are ordered among the matching texts', async () => {
  const calls = [
    { toolCallId: 'c1', after: 0 },
    { toolCallId: 'c2', after: 1 },
    { toolCallId: 'c3', after: 2 },
  ]
  const { find } = open({ fox: { matches: [match('a1', 2, true, calls)], isCut: false } })
  await find.look('fox', where)
  const places = find.getState().places?.map(({ toolCallId, ordinal }) => toolCallId ?? ordinal)
  expect(places).toEqual(['c1', 0, 'c2', 1, 'c3'])
})

test('with nothing visible, the newest match of the branch is selected', async () => {
  const { find } = open({ fox: { matches: [match('u1', 1), match('u2', 1), match('b2', 1, false)], isCut: true } })
  await find.look('fox', { leaf: 'a9', inSight: [] })
  expect(find.getState()).toMatchObject({ index: 1, isCut: true })
})

test('a late response does not replace a newer one', async () => {
  let answer: (matches: TextMatches) => void = () => undefined
  const late = new Promise<TextMatches>((resolve) => {
    answer = resolve
  })
  const { find, errors } = open({ f: late, fox: { matches: [match('u1', 1)], isCut: false } })
  const first = find.look('f', where)
  expect(find.getState().places).toBeNull()
  await find.look('fox', where)
  answer({ matches: [], isCut: false })
  await first
  expect(find.getState().places).toHaveLength(1)
  await find.look('', where)
  expect(find.getState().places).toEqual([])
  expect(errors).toEqual([])
})
