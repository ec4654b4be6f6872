import { NamedError } from '@troupe/protocol'
import { expect, it, vi } from 'vitest'
import { createApp } from './app.ts'
import type { Route } from './route.ts'

it('a request waits for a node that lost its place, and is answered by whoever has the chat then', async () => {
  const lost = (data = {}) => new NamedError('NodeLost', 'lost', { status: 503, data })
  const handle = vi
    .fn<() => Promise<unknown>>()
    .mockRejectedValueOnce(lost())
    .mockImplementation(() => Promise.resolve(Response.json({ ok: true })))
  const answerElsewhere = vi
    .fn<() => Promise<Response | undefined>>()
    .mockRejectedValueOnce(lost())
    .mockResolvedValue(undefined)
  const app = createApp({
    routes: [{ method: 'GET', path: '/ai/thing', access: { on: 'open' }, handle } as unknown as Route],
    access: { check: () => Promise.resolve({ kind: 'local' }) } as never,
    logger: () => undefined,
    openWorkspace: () => Promise.reject(new Error('not needed')),
    cluster: { principalOf: () => undefined, answerElsewhere, onError: () => undefined },
  })
  const response = await app.request('/ai/thing')
  expect([response.status, await response.json()]).toEqual([200, { ok: true }])
  expect([answerElsewhere.mock.calls.length, handle.mock.calls.length]).toEqual([3, 2])
  // It has waited long enough.
  answerElsewhere.mockRejectedValueOnce(lost({ hasWaited: true }))
  expect((await app.request('/ai/thing')).status).toBe(503)
})
