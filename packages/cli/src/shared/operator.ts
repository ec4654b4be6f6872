import { createCall } from '@troupe/client'
import { currentOwner, openHome } from '@troupe/server/home'
import { operatorHeader } from '@troupe/server/operator'
import { type CommandContext, printNotice, UsageError } from './command.ts'
import { bind, connect, type Connection, createLoadProblemReporter, readJson } from './connect.ts'

/**
 * Connects to the team's server as its operator, who proves to hold its secret key. Only the endpoints marked
 * `operator` accept that. Without a team, connects as usual, and the server says that it has none.
 */
export async function connectAsOperator(context: CommandContext): Promise<Connection> {
  const { env } = context
  const home = openHome({ env })
  for (const warning of home.warnings) printNotice(context, warning)
  const url = currentOwner(home)?.url ?? env['TROUPE_PUBLIC_URL']
  if (!url || !(await servesTeam(url))) return connect(context)
  const secretKey = env['TROUPE_SECRET_KEY']
  if (!secretKey) throw new UsageError(`set TROUPE_SECRET_KEY to the key of the server at ${url}`)
  const send = (target: string, init: RequestInit = {}): Promise<Response> => {
    const address = new URL(target, url)
    const headers = new Headers(init.headers)
    headers.set('authorization', operatorHeader(secretKey, { method: init.method ?? 'GET', path: address.pathname }))
    return fetch(address, { ...init, headers })
  }
  return bind(send, undefined, { problems: createLoadProblemReporter(context), close: () => Promise.resolve() })
}

async function servesTeam(url: string): Promise<boolean> {
  const call = createCall(async (method, target) => {
    const response = await fetch(new URL(target, url), { method }).catch((error: unknown) => {
      throw new UsageError(`no server answers at ${url} (${(error as Error).message}). Start it first`)
    })
    if (!response.ok) await readJson(response)
    return response
  })
  return (await call('GET /ai/me')).mode === 'team'
}
