import { isSameHost, pageAddress, readWebPage } from '@troupe/core'
import { NamedError, readerEndpoints } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'

/** Loopback addresses. Only the user may request them. */
const ownAddresses = ['127.0.0.1', '::1']

/** `ownPort` is this server's port, which the reader must never fetch. */
export function readerRoutes({ ownPort }: { ownPort: () => number }): Route[] {
  return implement(readerEndpoints, {
    'POST /ai/reader': async ({ body }, c) => {
      const isOwn = (url: URL): boolean => Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === ownPort()
      try {
        const url = pageAddress(body.url)
        if (body.here === true && isOwn(url)) throw new Error('This URL is Troupe itself.')
        const page = await readWebPage(url.href, {
          signal: c.req.raw.signal,
          timeoutMs: 20_000,
          allowed: body.here === true ? ownAddresses : undefined,
          // The approval covers one host, as for WebFetch.
          follows: (from, to) => isSameHost(from, to) && !(body.here === true && isOwn(to)),
        })
        return { page }
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        throw new NamedError('PageUnreadable', message, { status: 422 })
      }
    },
  })
}
