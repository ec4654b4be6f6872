import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  type AgentState,
  isDatabasePath,
  type Queries,
  resolvePath,
  resolveQueryFiles,
  type Store,
  type Workspace,
} from '@troupe/core'
import { NamedError, queryEndpoints } from '@troupe/protocol'
import { personIdOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'

/** Routes for the person, who may read every file of the folder. */
export function queryRoutes(options: {
  store: Store
  queries: Queries
  states: { of(session: { id: string; ownerId?: string | null }, workspace: Workspace): AgentState }
}): Route[] {
  const { store, queries } = options
  return implement(queryEndpoints, {
    'GET /ai/connections': () => ({
      connections: queries.connections().map(({ name, type, writable }) => ({ name, type, writable })),
    }),
    'POST /ai/query/export': async ({ body: { sql, connection, format, sessionId }, workspaceId, principal }, c) => {
      const workspace = await findWorkspace(store, workspaceId)
      const state = options.states.of({ id: sessionId, ownerId: personIdOf(principal) ?? null }, workspace)
      const call = { signal: c.req.raw.signal, workspace, isolation: state.isolation }
      const ctx = { state, signal: call.signal }
      try {
        const files = connection === undefined ? await resolveQueryFiles(sql, ctx) : undefined
        const source =
          files !== undefined
            ? ({ kind: 'files', files: files.files, cwd: state.cwd } as const)
            : isDatabasePath(connection ?? '')
              ? ({ kind: 'sqlite', path: resolvePath(ctx, connection ?? '', { for: 'read' }).path } as const)
              : ({ kind: 'connection', name: connection ?? '' } as const)
        const saved = await queries.save({ source, sql: files?.sql ?? sql, format }, call)
        const stream = createReadStream(saved.path)
        stream.once('close', () => void rm(saved.path, { force: true }))
        return c.body(Readable.toWeb(stream) as ReadableStream, 200, {
          'content-type': 'application/octet-stream',
          'content-length': String(saved.size),
          'content-disposition': `attachment; filename="query.${format}"`,
        })
      } catch (error) {
        throw new NamedError('QueryFailed', (error as Error).message, { status: 422, cause: error })
      }
    },
  })
}
