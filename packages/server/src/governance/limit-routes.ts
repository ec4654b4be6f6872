import { limitEndpoints } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { type Governance, inTeam } from './governance.ts'

export function limitRoutes(services: { governance?: Governance | undefined }): Route[] {
  const current = (): { limits: ReturnType<Governance['limits']['setting']['get']>; version: number } => {
    const { setting } = inTeam(services.governance).limits
    return { limits: setting.get(), version: setting.version() }
  }
  return implement(limitEndpoints, {
    'GET /ai/limits': current,
    'PATCH /ai/limits': async ({ body }) => {
      const { limits } = inTeam(services.governance)
      await limits.setting.update(() => body.limits)
      return current()
    },
  })
}
