import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RequestOutcome } from '../http/observe.ts'

/** Numbers for Prometheus. Labels have few values: routes and not paths, never ids. */
export interface Metrics {
  /** The text that Prometheus reads. */
  text(): Promise<string>
  readonly contentType: string
  onRequest(outcome: RequestOutcome): void
  onQuery(query: { ms: number; writes: boolean; isSlow: boolean; failed: boolean }): void
  /** The oldest chunk of a write waited this long until it was durable. */
  onChunksWritten(ms: number): void
  onError(): void
}

export interface MeasuredServer {
  runs(): readonly { status: string }[]
  /** Runs that wait for a node. */
  queueDepth(): Promise<number>
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createMetrics(server: MeasuredServer): Metrics {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  // Event-loop delay, memory, garbage collection, open handles.
  collectDefaultMetrics({ register: registry })
  const runs = new Gauge({
    name: 'troupe_runs',
    help: 'Live runs of this node by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const live = server.runs()
      for (const state of ['running', 'waiting'])
        runs.set({ state }, live.filter(({ status }) => status === state).length)
    },
  })
  const depth = new Gauge({
    name: 'troupe_queue_depth',
    help: 'Runs of all nodes that wait for a node.',
    registers,
    async collect() {
      depth.set(await server.queueDepth())
    },
  })
  const requests = new Histogram({
    name: 'troupe_http_request_seconds',
    help: 'Time until a response begins.',
    labelNames: ['method', 'route', 'status'],
    buckets: seconds,
    registers,
  })
  const queries = new Histogram({
    name: 'troupe_store_seconds',
    help: 'Time of database statements.',
    labelNames: ['kind'],
    buckets: seconds,
    registers,
  })
  const slow = new Counter({ name: 'troupe_slow_queries_total', help: 'Slow database statements.', registers })
  const failed = new Counter({ name: 'troupe_store_errors_total', help: 'Failed database statements.', registers })
  const chunks = new Histogram({
    name: 'troupe_chunk_seconds',
    help: 'Time from a chunk of an answer until it is durable.',
    buckets: seconds,
    registers,
  })
  const errors = new Counter({ name: 'troupe_errors_total', help: 'Errors in the log of this node.', registers })

  return {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    onRequest({ route, status, ms }) {
      const labels = { method: route?.method ?? 'other', route: route?.path ?? 'other', status: String(status) }
      requests.observe(labels, ms / 1000)
    },
    onQuery({ ms, writes, isSlow, failed: isFailed }) {
      queries.observe({ kind: writes ? 'write' : 'read' }, ms / 1000)
      if (isSlow) slow.inc()
      if (isFailed) failed.inc()
    },
    onChunksWritten: (ms) => chunks.observe(ms / 1000),
    onError: () => errors.inc(),
  }
}
