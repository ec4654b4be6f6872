import { z } from 'zod'
import { endpoints } from './endpoint.ts'

/** The one-time key, with the page's public key if it has one, or a challenge signed by the page. */
export const authRequestSchema = z.union([
  z.strictObject({ key: z.string().max(200), publicKey: z.string().max(300).optional() }),
  z.strictObject({ pageId: z.string().max(64), nonce: z.string().max(200), signature: z.string().max(200) }),
])

/** Valid for one origin until the server ends. */
const pageCredentialSchema = z.object({
  credential: z.string().describe('sent as Authorization: Page <credential>'),
  linkKey: z.string().describe('signs URLs that the browser requests itself: images and downloads'),
  pageId: z.string().nullable().describe('null if the page gave no public key'),
})
export type PageCredential = z.infer<typeof pageCredentialSchema>

export const authEndpoints = endpoints({
  'POST /ai/auth': {
    summary:
      'Exchanges the one-time key of the printed address, or a signed challenge, for the credential of the page. It is valid for one origin until the server ends.',
    open: true,
    body: authRequestSchema,
    bodyLimit: 2048,
    answers: { 200: pageCredentialSchema, 401: 'WrongKey, UnknownPage' },
  },
  'POST /ai/auth/challenge': {
    summary: 'Returns a nonce. A known page signs it to get a credential after the server restarted.',
    open: true,
    answers: { 200: z.object({ nonce: z.string() }) },
  },
  'POST /ai/auth/keys': {
    summary: 'Creates another one-time key, for programs that hold the token.',
    answers: { 200: z.object({ key: z.string() }), 401: 'Unauthorized' },
  },
})
