import type { UsageInfo } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { button, change, click, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { daysBetween } from './usage-chart.tsx'
import { UsageSection } from './usage-section.tsx'

const numbers = (cost: number, unpricedTokens = 0) => ({
  calls: 2,
  inputTokens: 1000,
  cachedTokens: 100,
  outputTokens: 200,
  cost,
  unpricedTokens,
})
const usage: UsageInfo = {
  from: '2026-11-10',
  to: '2026-11-16',
  total: numbers(3.5, 1200),
  days: [
    { day: '2026-11-12', ...numbers(1) },
    { day: '2026-11-16', ...numbers(2.5, 1200) },
  ],
  models: [
    { model: 'openai/large', ...numbers(3.5) },
    { model: 'shop/odd', ...numbers(0, 1200) },
    { model: 'shop/paint', ...numbers(0), inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
  ],
  folders: [{ folder: '/work/shop', ...numbers(3.5, 1200) }],
  people: [],
  budget: [{ period: 'day', limit: 3, spent: 2.5 }],
}

async function show() {
  const sent: unknown[] = []
  const config = { budget: { day: 3, month: null } }
  const shown = await render(<UsageSection />, {
    answers: {
      'GET /ai/usage': (_: unknown, query: URLSearchParams) =>
        query.get('days') === '7' ? { ...usage, total: { ...usage.total, calls: 0 } } : usage,
      'GET /ai/config': () => ({ path: '/home/config.json', config }),
      'PATCH /ai/config': (body: unknown) => (sent.push(body), { path: '', config, dropped: [] }),
    },
  })
  await change(() => undefined)
  return { ...shown, sent }
}

test('usage has a bar per day, a table per group, and names models without a price', async () => {
  const { view } = await show()
  expect(view.querySelectorAll('.usage-bars > span')).toHaveLength(7)
  expect(view.querySelector('tbody tr:nth-child(2)')?.textContent).toContain(t.usage.unknown)
  expect(view.querySelector('tbody tr:nth-child(3)')?.textContent).toContain(t.usage.unknown)
  expect(view.textContent).toContain(t.usage.unpriced('1,200', 'shop/odd'))
  expect(view.textContent).toContain(t.usage.unpricedCalls('shop/paint'))
  await click(field(t.usage.groups.folder))
  expect(view.querySelector('tbody')?.textContent).toContain('/work/shop')
  await click(field(t.usage.days(7)))
  expect(view.textContent).toContain(t.usage.none)
})

test('the budget shows what is used and warns, and takes only amounts', async () => {
  const { view, sent } = await show()
  expect(view.querySelector('.budget-meter')?.textContent).toContain(t.usage.near)
  await type(field(t.usage.perMonth), '-4')
  expect(view.textContent).toContain(t.usage.notAmount)
  await type(field(t.usage.perMonth), '40.5')
  await click(button(t.ui.save))
  expect(sent).toEqual([{ budget: { day: 3, month: 40.5 } }])
})

test('days without calls are part of the chart', () => {
  expect(daysBetween('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
})
