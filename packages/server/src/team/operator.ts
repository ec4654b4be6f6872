import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

const lifeMs = 5 * 60_000

/**
 * A caller with the servers' secret key may run commands on a node. The header proves it for one request and for
 * minutes. It works on every node, since all have the same key.
 */
export function operatorHeader(secretKey: string, request: { method: string; path: string }, now = Date.now()): string {
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'troupe', 'operator', 32))
  const proof = createHmac('sha256', key).update(`${now} ${request.method} ${request.path}`).digest('base64url')
  return `Operator ${now}.${proof}`
}

/** True if the header was made with this key, for this request, a short time ago. */
export function isOperator(
  header: string | undefined,
  secretKey: string,
  request: { method: string; path: string },
  now = Date.now(),
): boolean {
  const at = Number(/^Operator (\d{1,16})\.[\w-]{43}$/.exec(header ?? '')?.[1])
  if (!(Math.abs(now - at) <= lifeMs)) return false
  return timingSafeEqual(Buffer.from(header ?? ''), Buffer.from(operatorHeader(secretKey, request, at)))
}
