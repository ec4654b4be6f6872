import { authRequestSchema } from '@troupe/core'
import type { Access } from '../access.ts'
import { route, type Route } from '../route.ts'

export function authRoutes({ access }: { access: Access }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/ai/auth',
      summary:
        'Gives the page its credential, for the one-time key of the printed address or for a signed challenge. It is good at one origin until the server ends.',
      open: true,
      body: authRequestSchema,
      bodyLimit: 2048,
      answers: { 200: '{credential, linkKey, pageId}', 401: 'WrongKey, UnknownPage' },
      handle: (c, { body }) => c.json('key' in body ? access.exchange(c, body) : access.resume(c, body)),
    }),
    route({
      method: 'POST',
      path: '/ai/auth/challenge',
      summary: 'A nonce that a page signs with its key to get the credential of a server that was restarted.',
      open: true,
      answers: { 200: '{nonce}' },
      handle: (c) => c.json({ nonce: access.challenge() }),
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
