import type { Answered, CallOf } from '@troupe/protocol'
import type { Api } from '../../api/api.ts'

export type AuditEntry = Answered<'GET /ai/audit'>['entries'][number]
export type AuditQuery = NonNullable<CallOf<'GET /ai/audit'>['query']>
export type TeamPolicy = CallOf<'PATCH /ai/policy'>['body']['policy']
export type PolicyPreview = Answered<'POST /ai/policy/preview'>
export type TeamLimits = CallOf<'PATCH /ai/limits'>['body']['limits']

export const limitFields = ['day', 'month', 'requestsPerMinute', 'concurrentRuns'] as const
export type Limit = Partial<Record<(typeof limitFields)[number], number>>
export const limitScopes = ['people', 'workspaces', 'models'] as const

/** Requests of administration. */
export function governance({ call }: Api) {
  return {
    overview: () => call('GET /ai/admin/overview'),
    audit: (query: AuditQuery) => call('GET /ai/audit', { query: { ...query, limit: 50 } }),
    policy: () => call('GET /ai/policy'),
    setPolicy: (policy: TeamPolicy, version: number) => call('PATCH /ai/policy', { body: { policy, version } }),
    preview: (policy: TeamPolicy) => call('POST /ai/policy/preview', { body: { policy } }),
    limits: () => call('GET /ai/limits'),
    setLimits: (limits: TeamLimits) => call('PATCH /ai/limits', { body: { limits } }),
    usage: () => call('GET /ai/usage', { query: { days: '30' } }),
    deletePerson: (id: string, email: string) =>
      call('DELETE /ai/people/:id/data', { params: { id }, query: { email } }),
  }
}
