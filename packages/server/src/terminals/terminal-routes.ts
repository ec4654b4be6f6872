import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { isInside, type Store } from '@troupe/core'
import { NamedError, terminalEndpoints } from '@troupe/protocol'
import type { Access } from '../http/access.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Terminals } from './open-terminals.ts'
import type { TerminalTickets } from './terminal-socket.ts'

interface TerminalRouteServices {
  store: Store
  access: Access
  terminals: Terminals
  tickets: TerminalTickets
}

/**
 * The person's terminals. Only the page may use them. Programs with the token of the home are refused, so nothing that
 * works through the token, such as a tool, an MCP client or a script, starts, reads or types into a shell of the person.
 */
export function terminalRoutes({ store, access, terminals, tickets }: TerminalRouteServices): Route[] {
  return implement(terminalEndpoints, {
    'GET /ai/terminals': ({ workspaceId }, c) => {
      access.checkPage(c)
      return { terminals: terminals.list(workspaceId).map(({ info }) => info) }
    },
    'POST /ai/terminals': async ({ body, workspaceId }, c) => {
      access.checkPage(c)
      const workspace = await findWorkspace(store, workspaceId)
      const place = { root: realpathSync(workspace.path), folder: folderIn(workspace.path, body.folder) }
      const { info } = await terminals.start({ workspaceId, ...place, columns: body.columns, rows: body.rows })
      return { terminal: info }
    },
    'DELETE /ai/terminals/:terminalId': async ({ params, workspaceId }, c) => {
      access.checkPage(c)
      await terminals.end(terminals.find(workspaceId, params.terminalId))
      return undefined
    },
    'POST /ai/terminals/ticket': ({ workspaceId }, c) => {
      access.checkPage(c)
      return { ticket: tickets.issue(workspaceId) }
    },
  })
}

function folderIn(workspace: string, folder = '.'): string {
  try {
    const found = realpathSync(path.resolve(workspace, folder))
    if (isInside(found, realpathSync(workspace)) && statSync(found).isDirectory()) return found
  } catch {
    // It is refused below.
  }
  throw new NamedError('BadFolder', 'A terminal can only start in the open folder or in a folder inside it.')
}
