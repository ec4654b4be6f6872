import type { Ctx } from './route.ts'

/** Where a client goes on. A browser that reconnects by itself names what it saw last in the header. */
export function resumeAfter(c: Ctx, query: string | undefined): { after?: number } {
  const given = [c.req.header('last-event-id'), query].find((value) => value !== undefined && /^\d{1,15}$/.test(value))
  return given === undefined ? {} : { after: Number(given) }
}
