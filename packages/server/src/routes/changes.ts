import { NamedError, type AgentState, type Session, type Store, type Tool } from '@troupe/core'
import { z } from 'zod'
import { branchChanges } from '../changes/branch-changes.ts'
import { findSession } from '../find-session.ts'
import { route, type Route } from '../route.ts'

export interface ChangesOptions {
  store: Store
  tools: (workspaceId: string) => readonly Tool[]
  stateOf(session: Session): Promise<Pick<AgentState, 'roots' | 'undo'>>
}

const id = z.string().min(1).max(64)

/** What the branches of a session did to files. */
export function changeRoutes({ store, tools, stateOf }: ChangesOptions): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/sessions/:id/changes',
      summary:
        'Files that a branch touched, those of its sub-agents included, and how many commands may have touched others. ?leaf ends the branch (absent: the newest), ?after names the message after which it counts.',
      query: z.object({ leaf: id.optional(), after: id.optional() }),
      scoped: true,
      answers: { 200: '{files, commands}', 404: 'SessionNotFound, MessageNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const at = { sessionId: session.id }
        const leaf = query.leaf ?? (await store.messages.latestLeaf(at))
        const chain = leaf === undefined ? [] : await store.messages.chain(at, leaf)
        const skip = query.after === undefined ? 0 : chain.findIndex((message) => message.id === query.after) + 1
        if ((query.leaf !== undefined && chain.length === 0) || (query.after !== undefined && skip === 0))
          throw new NamedError('MessageNotFound', 'There is no such message on this branch.', { status: 404 })
        const state = await stateOf(session)
        const known = tools(session.workspaceId)
        return c.json(await branchChanges({ store, ...at, state, tools: known, chain, skip }))
      },
    }),
  ]
}
