import { auditEndpoints } from '@troupe/protocol'
import { download, implement, type Route } from '../http/route.ts'
import { csvLine } from '../util/csv.ts'
import type { Audit, AuditEntry } from './audit.ts'
import { type Governance, inTeam } from './governance.ts'

export function auditRoutes(services: { governance?: Governance | undefined }): Route[] {
  return implement(auditEndpoints, {
    'GET /ai/audit': ({ query }) => {
      const { audit } = inTeam(services.governance)
      return audit.search(query)
    },
    'GET /ai/audit/export': ({ query: { format, ...filter } }) => {
      const { audit } = inTeam(services.governance)
      return download(`audit.${format}`, exportText(audit, filter, format))
    },
  })
}

async function* exportText(
  audit: Audit,
  filter: Parameters<Audit['pages']>[0],
  format: 'jsonl' | 'csv',
): AsyncGenerator<string> {
  if (format === 'csv')
    yield csvLine(['time', 'actor', 'actor id', 'action', 'type', 'target', 'outcome', 'request', 'address', 'detail'])
  for await (const page of audit.pages(filter))
    yield page.map((entry) => (format === 'csv' ? toCsv(entry) : `${JSON.stringify(entry)}\n`)).join('')
}

function toCsv({ at, actor, action, target, outcome, requestId, address, detail }: AuditEntry): string {
  return csvLine([
    new Date(at).toISOString(),
    actor.name,
    actor.id,
    action,
    target?.type,
    target?.name ?? target?.id,
    outcome,
    requestId,
    address,
    JSON.stringify(detail),
  ])
}
