import { sql } from 'kysely'
import { schemaVersion } from '../stores/database-state.ts'
import type { Db, LogLine } from '../stores/sql/context.ts'
import type { Metrics } from './metrics.ts'
import type { SlowQuery } from './measuring.ts'
import type { Recent } from './recent.ts'

export interface OperatedNode {
  id: string
  version: string
  startedAt: number
  draining: boolean
  labels: readonly string[]
}

/** Facts of the cluster. A single process is the only node, and its queue is empty. */
export interface ClusterView {
  nodes(): readonly OperatedNode[]
  queueDepth(): Promise<number>
}

export interface Readiness {
  ok: boolean
  checks: { store: boolean; migrations: boolean; draining: boolean }
}

/** Data for operators: health, metrics, slow queries and errors. */
export interface Operations {
  ready(): Promise<Readiness>
  /** From now on, no new requests should come here. */
  drain(): void
  cluster: ClusterView
  errors: Recent<LogLine & { at: number }>
  slowQueries: Recent<SlowQuery>
  /** Undefined if they are turned off. */
  metrics: Metrics | undefined
  /** Of callers from other machines. Without one, only this machine may read metrics. */
  metricsToken: string | undefined
}

const storeTimeoutMs = 2000

export function createOperations(
  options: Pick<Operations, 'errors' | 'slowQueries' | 'metrics' | 'metricsToken'> & {
    db: Db
    cluster?: ClusterView | undefined
    version: string
  },
): Operations {
  const { db, errors, slowQueries, metrics, metricsToken, version } = options
  const startedAt = Date.now()
  let draining = false
  const alone: ClusterView = {
    nodes: () => [{ id: 'this', version, startedAt, draining, labels: [] }],
    queueDepth: async () => 0,
  }
  return {
    errors,
    slowQueries,
    metrics,
    metricsToken,
    cluster: options.cluster ?? alone,
    drain: () => void (draining = true),
    async ready() {
      const found = await withTimeout(storedVersion(db)).catch(() => undefined)
      const checks = { store: found !== undefined, migrations: found === schemaVersion, draining }
      return { ok: checks.store && checks.migrations && !draining, checks }
    },
  }
}

async function storedVersion(db: Db): Promise<number> {
  const { rows } = await sql<{ version: number }>`select max(version) as version from schema_version`.execute(db)
  return Number(rows[0]?.version)
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database did not answer in time.')), storeTimeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
