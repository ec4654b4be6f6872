import { isSameHost, pageAddress, readWebPage, type WebPage } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { route, type Route } from '../http/route.ts'

/** Loopback addresses. Only the user may request them. */
const ownAddresses = ['127.0.0.1', '::1']

const schema = z.strictObject({
  url: z.string().min(1).max(2000),
  here: z.boolean().optional().describe('The person wants a page of this machine'),
})

/** `ownPort` is this server's port, which the reader must never fetch. */
export function readerRoutes({ ownPort }: { ownPort: () => number }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/ai/reader',
      summary:
        'A page of the web as text to read, fetched by the server without cookies and under the guard of WebFetch.',
      body: schema,
      answers: { 200: '{page: {url, status, title, mediaType, text, isMarkdown, note?}}', 422: 'PageUnreadable' },
      async handle(c, { body }) {
        const isOwn = (url: URL): boolean => Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === ownPort()
        try {
          const url = pageAddress(body.url)
          if (body.here === true && isOwn(url)) throw new Error('This is Troupe itself.')
          const page: WebPage = await readWebPage(url.href, {
            signal: c.req.raw.signal,
            timeoutMs: 20_000,
            ...(body.here === true && { allowed: ownAddresses }),
            // The approval covers one host, as for WebFetch.
            follows: (from, to) => isSameHost(from, to) && !(body.here === true && isOwn(to)),
          })
          return c.json({ page })
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error)
          throw new NamedError('PageUnreadable', message, { status: 422 })
        }
      },
    }),
  ]
}
