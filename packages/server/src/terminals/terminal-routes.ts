import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { isInside, type Store } from '@troupe/core'
import { NamedError, terminalEndpoints } from '@troupe/protocol'
import type { Access } from '../http/access.ts'
import { personIdOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Tickets } from '../http/tickets.ts'
import type { TeamIsolation } from '../isolation/open-isolation.ts'
import type { IsolationOf } from '../isolation/owner-isolation.ts'
import type { Terminals } from './open-terminals.ts'
import type { TicketPlace } from './terminal-socket.ts'

interface TerminalRouteServices {
  store: Store
  access: Access
  terminals: Terminals
  tickets: Tickets<TicketPlace>
  isolation?: Pick<TeamIsolation, 'admit'> | undefined
  isolationOf?: IsolationOf | undefined
}

/**
 * The person's terminals. Only the page may use them. Programs with the token of the home are refused, so nothing that
 * works through the token, such as a tool, an MCP client or a script, starts, reads or types into a shell of the person.
 */
export function terminalRoutes(services: TerminalRouteServices): Route[] {
  const { store, access, terminals, tickets, isolation, isolationOf } = services
  return implement(terminalEndpoints, {
    'GET /ai/terminals': ({ workspaceId, principal }, c) => {
      access.checkPage(c)
      return { terminals: terminals.list(workspaceId, personIdOf(principal) ?? null).map(({ info }) => info) }
    },
    'POST /ai/terminals': async ({ body, workspaceId, principal }, c) => {
      access.checkPage(c)
      const workspace = await findWorkspace(store, workspaceId)
      const place = await placeIn(workspace.path, body.folder)
      const { columns, rows } = body
      const ownerId = personIdOf(principal) ?? null
      await isolation?.admit(workspace.path)
      const isolated = isolationOf?.({ ownerId }, workspace.path)
      const { info } = await terminals.start({ workspaceId, ...place, columns, rows, ownerId, isolation: isolated })
      return { terminal: info }
    },
    'DELETE /ai/terminals/:terminalId': async ({ params, workspaceId, principal }, c) => {
      access.checkPage(c)
      await terminals.end(terminals.find(workspaceId, params.terminalId, personIdOf(principal) ?? null))
      return undefined
    },
    'POST /ai/terminals/ticket': ({ workspaceId, principal }, c) => {
      access.checkPage(c)
      return { ticket: tickets.issue({ workspaceId, ownerId: personIdOf(principal) ?? null }) }
    },
  })
}

async function placeIn(workspace: string, given = '.'): Promise<{ root: string; folder: string }> {
  try {
    const root = await realpath(workspace)
    const folder = await realpath(path.resolve(workspace, given))
    if (isInside(folder, root) && (await stat(folder)).isDirectory()) return { root, folder }
  } catch {
    // It is refused below.
  }
  throw new NamedError('BadFolder', 'A terminal can only start in the open folder or in a folder inside it.')
}
