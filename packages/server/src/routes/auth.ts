import { authRequestSchema } from '@troupe/core'
import type { Access } from '../access.ts'
import { route, type Route } from '../route.ts'

export function authRoutes({ access }: { access: Access }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/ai/auth',
      summary: 'Exchanges the one-time key of the printed address for a cookie.',
      open: true,
      body: authRequestSchema,
      answers: { 200: 'the cookie is set', 401: 'WrongKey' },
      handle: (c, { body }) => c.json({ ok: true }, 200, { 'set-cookie': access.exchange(body.key) }),
    }),
    route({
      method: 'POST',
      path: '/ai/auth/keys',
      summary: 'Makes another one-time key. For programs that hold the token.',
      answers: { 200: '{key}', 401: 'Unauthorized' },
      handle(c) {
        access.checkProgram(c)
        return c.json({ key: access.newKey() })
      },
    }),
  ]
}
