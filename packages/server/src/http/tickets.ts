import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** Admits to a WebSocket, which cannot carry the credential of its caller. It gets a ticket with it first. */
export interface Tickets<Place> {
  issue(place: Place): string
  /** Returns the place of a ticket, once. */
  redeem(ticket: string): Place | undefined
}

const ticketMs = 30_000
const mostUsed = 10_000

/**
 * Tickets are signed, so that each node of a cluster knows those of the others. A node accepts a ticket once.
 * `secret`: the same on all nodes. Default: of this process only.
 */
export function createTickets<Place>(
  place: z.ZodType<Place>,
  { secret = randomBytes(32), now = Date.now }: { secret?: Uint8Array | undefined; now?: () => number } = {},
): Tickets<Place> {
  const used = new Map<string, number>()
  const content = z.object({ place, until: z.number(), id: z.string() })
  return {
    issue(given) {
      const id = randomBytes(12).toString('base64url')
      const text = Buffer.from(JSON.stringify({ place: given, until: now() + ticketMs, id })).toString('base64url')
      return `${text}.${sign(text)}`
    },
    redeem(ticket) {
      const [text = '', seal = ''] = ticket.split('.')
      const [given, expected] = [Buffer.from(seal), Buffer.from(sign(text))]
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      const { place: found, until, id } = content.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
      if (until < now() || used.has(id)) return undefined
      for (const [old, over] of used) if (over < now() || used.size >= mostUsed) used.delete(old)
      used.set(id, until)
      return found
    },
  }

  function sign(text: string): string {
    return createHmac('sha256', secret).update(text).digest('base64url')
  }
}
