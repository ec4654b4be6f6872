import type { Ctx } from './route.ts'

/** Tells the holder of a chat to describe the turn. The node that passed the request on then streams it by itself. */
export const turnHeader = 'x-troupe-turn'

/** The runs that answer a chat request. */
export interface TurnDescription {
  sessionId: string
  userMessageId: string
  /** Absent if several models answer. */
  runId?: string
  after?: number | undefined
}

/** Returns the description instead of a stream, if a node asked for it. */
export function describeTurn(c: Ctx, turn: TurnDescription): Response | undefined {
  if (c.req.header(turnHeader) !== 'describe') return undefined
  return c.body(null, 200, { [turnHeader]: JSON.stringify(turn) })
}
