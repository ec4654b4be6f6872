import type { LogEvent } from 'kysely'
import type { RequestOutcome } from '../http/observe.ts'
import type { LogLine } from '../stores/sql/context.ts'
import type { Logger } from '../util/logger.ts'
import type { MeasuredServer, Metrics } from './metrics.ts'
import { createRecent, type Recent } from './recent.ts'

export interface SlowQuery {
  at: number
  ms: number
  /** Without its values, which may be private. */
  sql: string
}

/** Collects data for operators. While it is off, it keeps only the latest errors. */
export interface Measuring {
  errors: Recent<LogLine & { at: number }>
  slowQueries: Recent<SlowQuery>
  onError(line: LogLine): void
  onRequest(outcome: RequestOutcome): void
  /** For Kysely's `log`. */
  onQuery?: (event: LogEvent) => void
  onChunksWritten?: (ms: number) => void
  /** Starts the metrics, if it is on. Loads their library only then. */
  start(server: MeasuredServer): Promise<Metrics | undefined>
}

const maxSql = 1000
const defaultSlowMs = 200

export function createMeasuring(options: { isOn: boolean; logger: () => Logger; slowMs?: number }): Measuring {
  const { isOn, logger, slowMs = defaultSlowMs } = options
  const errors: Measuring['errors'] = createRecent()
  const slowQueries = createRecent<SlowQuery>()
  let metrics: Metrics | undefined
  return {
    errors,
    slowQueries,
    onError(line) {
      errors.add({ ...line, at: Date.now() })
      metrics?.onError()
    },
    onRequest: (outcome) => metrics?.onRequest(outcome),
    ...(isOn && { onQuery, onChunksWritten: (ms: number) => metrics?.onChunksWritten(ms) }),
    async start(server) {
      if (!isOn) return undefined
      const { createMetrics } = await import('./metrics.ts')
      metrics = createMetrics(server)
      return metrics
    },
  }

  function onQuery(event: LogEvent): void {
    const { queryDurationMillis: ms, query } = event
    const isSlow = ms >= slowMs
    const writes = /^\s*(?:insert|update|delete|create|alter|drop|commit)/i.test(query.sql)
    metrics?.onQuery({ ms, writes, isSlow, failed: event.level === 'error' })
    if (!isSlow) return
    const entry = { at: Date.now(), ms: Math.round(ms), sql: query.sql.slice(0, maxSql) }
    slowQueries.add(entry)
    logger()({ level: 'warn', message: 'slow query', ms: entry.ms, sql: entry.sql })
  }
}
