import { expect, test } from 'vitest'
import { z } from 'zod'
import { testToolContext } from '../testing/test-tool-context.ts'
import type { Answer } from '../tool/asks.ts'
import type { AskRequest } from '../tool/tool.ts'
import { askPage, type PageRequest } from './ask-page.ts'

const request: PageRequest = { action: 'look', input: { at: 1 }, title: 'Look' }
const schema = z.object({ seen: z.number() })

function asking(answer: Answer) {
  const asked: AskRequest[] = []
  const ctx = testToolContext({
    ask: (given) => {
      asked.push(given)
      return Promise.resolve(answer)
    },
  })
  return { ctx, asked }
}
const acked = (answers: Record<string, unknown>): Answer => ({ type: 'answers', answers })

test('a page is asked by the name of an action, and has a minute', async () => {
  const { ctx, asked } = asking(acked({ status: 'success', output: { seen: 3 } }))
  expect(await askPage(ctx, request, schema)).toEqual({ seen: 3 })
  expect(asked).toEqual([
    { kind: 'browser', title: 'Look', content: { action: 'look', input: { at: 1 } }, timeoutMs: 60_000 },
  ])
})

test('actions that need a person have more time, and the model can set it', async () => {
  const { ctx, asked } = asking(acked({ status: 'success', output: { seen: 3 } }))
  await askPage(ctx, { ...request, byPerson: true }, schema)
  await askPage(ctx, { ...request, byPerson: true, timeoutSec: 5 }, schema)
  expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([600_000, 5000])
})

test.each<[string, Answer, string]>([
  ['could not', acked({ status: 'failed', errorText: 'There is no such page.' }), 'There is no such page.'],
  ['gave no reason', acked({ status: 'failed' }), 'without giving a reason'],
  ['says something else', acked({ status: 'success', output: { seen: 'x' } }), 'invalid answer'],
  ['says nothing', acked({}), 'invalid answer'],
  ['declines', { type: 'deny' }, 'The user declined.'],
  ['declines and says why', { type: 'deny', remark: 'not now' }, 'said: not now'],
])('a page that %s is an error with the reason', async (_, answer, text) => {
  await expect(askPage(asking(answer).ctx, request, schema)).rejects.toThrow(text)
})
