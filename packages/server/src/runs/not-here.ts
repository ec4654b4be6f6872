import { NamedError } from '@troupe/protocol'

/** The chat is on another node. Whoever passes the request on tries again. */
export function notHere(): NamedError {
  return new NamedError('NotHere', 'Another server has this chat. Try again in a moment.', { status: 421 })
}
