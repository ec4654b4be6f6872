import { timingSafeEqual } from 'node:crypto'
import { NamedError, operationEndpoints } from '@troupe/protocol'
import { isLoopback } from '../http/listen.ts'
import { type Ctx, implement, Reply, type Route } from '../http/route.ts'
import type { RunManager } from '../runs/run-types.ts'
import type { Operations } from './operations.ts'

interface OperationServices {
  operations: Operations
  runs: Pick<RunManager, 'live'>
  version: string
}

export function operationRoutes(services: OperationServices): Route[] {
  return implement(operationEndpoints, {
    'GET /ready': async () => {
      const found = await services.operations.ready()
      return found.ok ? found : new Reply(503, found)
    },
    'GET /metrics': async (_, c) => {
      const { metrics, metricsToken } = services.operations
      if (metrics === undefined) throw new NamedError('NotFound', 'Metrics are turned off.', { status: 404 })
      if (!mayReadMetrics(c, metricsToken))
        throw new NamedError('Unauthorized', 'Metrics need their token, or a request from this machine.', {
          status: 401,
        })
      return c.body(await metrics.text(), 200, { 'content-type': metrics.contentType })
    },
    'GET /ai/admin/overview': async () => {
      const { cluster, errors, slowQueries } = services.operations
      const live = services.runs.live()
      return {
        versions: { troupe: services.version, node: process.versions.node },
        nodes: cluster.nodes().map(({ id, version, startedAt, draining, labels }) => ({
          id,
          version,
          startedAt,
          draining,
          // Others are for the nodes themselves.
          labels: labels.filter((label) => !label.includes(':')),
        })),
        queueDepth: await cluster.queueDepth(),
        runs: live.slice(0, 500).map(({ id, sessionId, status }) => ({ id, sessionId, status })),
        slowQueries: slowQueries.list(),
        errors: errors.list().map(({ at, message, ...fields }) => ({ at, message, detail: { ...fields } })),
      }
    },
  })
}

/** A proxy on this machine forwards requests of others, so those do not count as local. */
function mayReadMetrics(c: Ctx, token: string | undefined): boolean {
  if (token !== undefined) {
    const given = Buffer.from(/^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '')
    const wanted = Buffer.from(token)
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  }
  const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip'].some((name) => c.req.header(name) !== undefined)
  const address = c.env?.incoming?.socket.remoteAddress?.replace(/^::ffff:/, '')
  return !forwarded && (address === undefined || isLoopback(address))
}
