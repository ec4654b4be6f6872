import { expect, test } from 'vitest'
import { play, probe } from '../../testing/play-run.ts'
import { readResume } from './resume.ts'

const usage = { inputTokens: 900, outputTokens: 100, totalTokens: 1000 }
const lends = probe('lends', false, [], {
  execute(_, ctx) {
    ctx.spend?.(usage)
    return 'done'
  },
})

test('a tool’s model usage counts toward the run and its budget, even after a restart', async () => {
  const plain = probe('lends', false, [], { execute: () => 'done' })
  const alone = await play([[{ call: { name: 'lends', input: {} } }], [{ text: 'done' }]], [plain])
  const added: { tokens?: number }[] = []
  const meter = { add: (more: { tokens?: number }) => void added.push(more), exceeded: () => undefined }
  const { message, log } = await play([[{ call: { name: 'lends', input: {} } }], [{ text: 'done' }]], [lends], {
    meter: meter as never,
  })
  const before = alone.message.metadata?.usage?.totalTokens ?? 0
  expect(message.metadata?.usage?.totalTokens).toBe(before + 1000)
  expect(added.reduce((sum, { tokens = 0 }) => sum + tokens, 0)).toBe(before + 1000)
  expect(readResume(log.items).usage).toContainEqual(usage)
})

test('a limit of tokens ends the turn after a call that used them up', async () => {
  const turns = [[{ call: { name: 'lends', input: {} } }], [{ text: 'not reached' }]]
  const { message, model } = await play(turns, [lends], { limits: { tokens: 500 } })
  expect(message.metadata?.stopped).toMatchObject({ reason: 'tokens' })
  expect(model.calls).toHaveLength(1)
})

test('the fill of the context is that of the latest model call, without what tools spent, even after a restart', async () => {
  const finish = (inputTokens: number) => ({
    finish: 'stop' as const,
    usage: { inputTokens, outputTokens: 50 },
  })
  const turns = [
    [{ call: { name: 'lends', input: {} } }, { ...finish(2000), finish: 'tool-calls' as const }],
    [{ text: 'done' }, finish(2100)],
  ]
  const { message, log } = await play(turns, [lends])
  expect(message.metadata?.contextTokens).toBe(2150)
  expect(message.metadata?.usage?.inputTokens).toBeGreaterThan(4000)
  const fills = log.items.flatMap((item) =>
    item.type === 'data-usage' ? [(item.data as { contextTokens?: number }).contextTokens] : [],
  )
  expect(fills).toEqual([2050, 2050, 2150])
  expect(readResume(log.items).lastUsage).toMatchObject({ inputTokens: 2100 })
})
