import type { Ask } from '@troupe/core'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import type { ModelInfo } from '../api/models.ts'
import { newRun } from '../chat/session/session-state.ts'
import { button, click, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { Header } from './header.tsx'

const model = { ref: 'near/small', name: 'Small', providerName: 'Near', tags: [], contextWindow: 200_000 }
const models = [model as unknown as ModelInfo]
const answer = (contextTokens?: number) => ({
  id: 'a1',
  parentMessageId: 'u1',
  role: 'assistant' as const,
  parts: [],
  metadata: { contextTokens },
  createdAt: 1,
})
const ask = (id: string, sessionId: string) => ({ id, sessionId, agentPath: ['master'] }) as unknown as Ask
const ring = () => document.querySelector('.context-ring')

afterEach(() => vi.useRealTimers())

test('the ring shows how full the window is, also while the answer runs', async () => {
  const { session } = await render(<Header />, {
    app: { isNew: false, models },
    chat: { phase: 'ready', messages: [answer(68_000)] },
  })
  expect(ring()?.getAttribute('aria-label')).toBe(t.context.ring('34%', '200k'))
  expect(ring()?.textContent).toBe('34%')
  await act(async () => session.setState({ run: { ...newRun('u1', 1), contextTokens: 160_000 } }))
  expect(ring()?.textContent).toBe('80%')
  expect(ring()?.getAttribute('data-full')).toBe('true')
})

test('without a known window the ring is neutral and says so', async () => {
  const { app } = await render(<Header />, {
    app: { isNew: false, models: [{ ...model, contextWindow: undefined } as unknown as ModelInfo] },
    chat: { phase: 'ready', messages: [answer(1200)] },
  })
  expect(ring()?.getAttribute('aria-label')).toBe(t.context.ringUnknown('1.2k'))
  expect(ring()?.textContent).toBe('')
  expect(document.querySelector('.context-ring-fill')).toBeNull()
  await click(button(t.context.ringUnknown('1.2k')))
  expect(app.getState().dialog).toBe('context')
})

test('an answer without a count is estimated by the server, without the list of its pieces', async () => {
  vi.useFakeTimers()
  const { requests } = await render(<Header />, {
    app: { isNew: false, models },
    chat: { phase: 'ready', messages: [answer()] },
    answers: { 'GET /ai/sessions/s1/context': () => ({ total: { tokens: 100_000 }, pieces: [] }) },
  })
  expect(ring()?.textContent).toBe('')
  await act(async () => vi.advanceTimersByTimeAsync(1100))
  expect(ring()?.textContent).toBe('50%')
  expect(requests.filter((one) => JSON.stringify(one).includes('/context'))).toHaveLength(1)
})

test('only asks of other chats are counted: those of this chat are in view', async () => {
  const { app } = await render(<Header />, { app: { isNew: false, asks: [ask('1', 's1')] } })
  expect(document.querySelector('.inbox-button')).toBeNull()
  await act(async () => app.setState({ asks: [ask('1', 's1'), ask('2', 's2')] }))
  expect(button(t.inbox.count(1)).textContent).toBe('1')
})
