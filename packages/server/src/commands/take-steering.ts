import { NamedError, type Part, type Session, type SteeringMessage, type Store } from '@troupe/core'
import { findBuiltIn } from './built-ins.ts'
import type { ExpandMessage } from './take-message.ts'

/**
 * What is said to a run that is under way, with what it names brought in as for any message. Throws
 * `CommandWhileRunning` (409) for commands that are no part of the answer being written.
 */
export async function expandSteering(
  { id, text }: { id: string; text: string },
  session: Session,
  { store, takeMessage }: { store: Pick<Store, 'messages'>; takeMessage: ExpandMessage },
): Promise<{ message: SteeringMessage; hints: string[] }> {
  const written: Part[] = [{ type: 'text', text }]
  const builtIn = findBuiltIn(written)
  if (builtIn !== undefined) throw commandWhileRunning(`/${builtIn.command.name} is not possible`)
  const at = { sessionId: session.id }
  const taken = await takeMessage({
    parts: written,
    workspaceId: session.workspaceId,
    session,
    async chain() {
      const leaf = await store.messages.latestLeaf(at)
      return leaf === undefined ? [] : store.messages.chain(at, leaf)
    },
  })
  const brought = taken.parts.filter(({ type }) => type !== 'text')
  for (const part of brought) {
    const { name, agent, model } = ('data' in part ? part.data : {}) as {
      name?: string
      agent?: string
      model?: string
    }
    if (part.type === 'data-command' && (agent ?? model) !== undefined)
      throw commandWhileRunning(`/${name ?? ''} is answered by ${agent ?? model}, so it is not possible`)
  }
  const hints = taken.hints.map((hint) => String((hint as { data?: { text?: unknown } }).data?.text))
  return { message: { id, text, ...(brought.length > 0 && { brought }) }, hints }
}

function commandWhileRunning(what: string): NamedError {
  const text = `${what} while the session answers. Stop it, or wait for its end.`
  return new NamedError('CommandWhileRunning', text, { status: 409 })
}
