import { setImmediate } from 'node:timers/promises'
import { simulate, type Store, type Tool } from '@troupe/core'
import { limitEndpoints, policyEndpoints, type TeamPolicy } from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import type { Permissions } from '../permission/permissions.ts'
import { inDialects } from '../rules/rule-routes.ts'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { dayOf } from '../usage/budget-accounts.ts'
import { type Governance, inTeam } from './governance.ts'
import { allowsMcpServer, allowsModel, checkPolicy, forbiddenModes, toManaged } from './policy.ts'

interface PolicyRouteServices {
  governance?: Governance | undefined
  store: SqlStore
  permissions: Permissions
  mcp: Mcp
  tools: { list(workspaceId: string): readonly Tool[] }
}

const maxCalls = 5000
const callsPerSlice = 100
const maxListed = 50

export function policyRoutes(services: PolicyRouteServices): Route[] {
  return implement(policyEndpoints, {
    'GET /ai/policy': () => inTeam(services.governance).policy.get(),
    'PATCH /ai/policy': ({ body }) => {
      const { policy } = inTeam(services.governance)
      return policy.update(body.policy, body.version)
    },
    'POST /ai/policy/preview': async ({ body, workspaceId }) => {
      const { policy: now } = inTeam(services.governance).policy.get()
      checkPolicy(body.policy)
      const { store, mcp } = services
      const workspace = await findWorkspace(store, workspaceId)
      const from = new Date()
      from.setDate(from.getDate() - 30)
      const { models } = await store.usage.totals({ from: dayOf(from) })
      return {
        ...(await changedCalls(services, workspaceId, body.policy)),
        models: models
          .map(({ model }) => model)
          .filter((model) => allowsModel(now, model) && !allowsModel(body.policy, model)),
        mcpServers: mcp
          .sources(workspace)
          .filter(
            ({ origin, entry }) =>
              origin === 'project' && entry && allowsMcpServer(now, entry) && !allowsMcpServer(body.policy, entry),
          )
          .map(({ name }) => name),
        modes: await chatsByMode(
          store,
          forbiddenModes(body.policy).filter((mode) => !forbiddenModes(now).includes(mode)),
        ),
      }
    },
  })
}

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

type Decision = 'allow' | 'ask' | 'deny'

interface ChangedCall {
  tool: string
  input: string
  before: Decision
  after: Decision
  reason: string
  count: number
}

/** Compares the policy with the current one on past tool calls of a folder. */
async function changedCalls(
  { store, permissions, tools }: PolicyRouteServices,
  workspaceId: string,
  policy: TeamPolicy,
): Promise<{ checked: number; calls: ChangedCall[] }> {
  const place = await findWorkspace(store as Store, workspaceId)
  const stored = await store.calls.recent({ workspaceId, limit: maxCalls })
  const known = inDialects(tools.list(workspaceId), stored)
  const before = permissions.policy(place)
  const after = permissions.policy(place, { managed: toManaged(policy) })
  const found = new Map<string, ChangedCall>()
  for (let from = 0; from < stored.length; from += callsPerSlice) {
    const some = stored.slice(from, from + callsPerSlice)
    const calls = some.map(({ toolName, input }) => ({ tool: toolName, input, cwd: place.path }))
    for (const change of (await simulate(before, after, calls, known)).changes) {
      const { decision: was } = change.before
      const { decision: is, reason } = change.after
      if (was === is) continue
      const input = (JSON.stringify(change.call.input) ?? '').slice(0, 300)
      const key = `${change.call.tool} ${is} ${input}`
      const known = found.get(key) ?? { tool: change.call.tool, input, before: was, after: is, reason, count: 0 }
      found.set(key, { ...known, count: known.count + 1 })
    }
    await setImmediate()
  }
  const calls = [...found.values()].toSorted((one, other) => other.count - one.count).slice(0, maxListed)
  return { checked: stored.length, calls }
}

async function chatsByMode(
  { db }: SqlStore,
  forbidden: ReturnType<typeof forbiddenModes>,
): Promise<{ mode: ReturnType<typeof forbiddenModes>[number]; chats: number }[]> {
  if (forbidden.length === 0) return []
  const rows = await db
    .selectFrom('session')
    .select(['mode', (e) => e.fn.countAll().as('chats')])
    .where('mode', 'in', forbidden)
    .groupBy('mode')
    .execute()
  return rows.map(({ mode, chats }) => ({ mode: mode as (typeof forbidden)[number], chats: Number(chats) }))
}
