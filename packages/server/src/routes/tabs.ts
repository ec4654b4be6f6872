import { idSchema } from '@troupe/core'
import { z } from 'zod'
import type { PageCalls } from '../pages/page-calls.ts'
import type { PageTabs } from '../pages/page-tabs.ts'
import { route, type Route } from '../route.ts'

const id = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/)

const tabSchema = z.strictObject({
  clientId: id.describe('The browser'),
  tabId: id.describe('The tab of it'),
  actions: z.array(z.string().min(1).max(50)).max(50).describe('What the page can be asked to do'),
  notes: z
    .record(z.string().min(1).max(50), z.array(z.string().min(1).max(500)).max(30))
    .optional()
    .describe('What models are to know of an action: lines that stand below the description of its tool'),
  sessionId: idSchema.nullable().optional().describe('The session in sight'),
  alive: z.array(id).max(500).optional().describe('The tabs of this browser that live, where it can tell'),
  closed: z.boolean().optional().describe('It is being closed, or loaded anew'),
})

/** A page is a device: it says that it is there and what it can do, and hears what it is to do. */
export function tabRoutes({ tabs, pageCalls }: { tabs: PageTabs; pageCalls: PageCalls }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/ai/tabs',
      summary:
        'A page says that it is open and what it can do, every minute at least, and hears what tools ask it to do.',
      body: tabSchema,
      scoped: true,
      answers: { 200: '{calls, others}' },
      handle(c, { body, workspaceId }) {
        const { clientId, tabId, actions, notes, sessionId = null, alive, closed } = body
        if (closed === true) {
          tabs.leave({ clientId, tabId })
          return c.json({ calls: [], others: 0 })
        }
        tabs.announce({ workspaceId, clientId, tabId, actions, sessionId, ...(notes !== undefined && { notes }) })
        if (alive !== undefined) tabs.alive(clientId, [...alive, tabId])
        return c.json(pageCalls.of({ clientId, tabId }))
      },
    }),
  ]
}
