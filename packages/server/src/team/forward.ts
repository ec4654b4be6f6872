import { NamedError } from '@troupe/protocol'
import type { Ctx } from '../http/route.ts'
import type { Accounts } from './accounts.ts'
import type { TeamAccess } from './team-access.ts'

export interface Forwarded {
  status: number
  ok: boolean
  body: Record<string, unknown>
  location: string | null
}

/** Lets better-auth handle a request of the caller. Its cookies go to the browser, if it succeeds. */
export type Forward = (c: Ctx, path: string, body?: unknown, method?: 'GET' | 'POST') => Promise<Forwarded>

export function createForward({ accounts, access }: { accounts: Accounts; access: TeamAccess }): Forward {
  return async (c, path, body, method = 'POST') => {
    const response = await accounts.request(path, {
      method,
      headers: access.headers(c),
      ...(method === 'POST' && { body: body ?? {} }),
    })
    if (response.status >= 500) throw new Error(`better-auth failed with ${response.status} at ${path.split('?')[0]}`)
    if (response.status < 400)
      for (const cookie of response.headers.getSetCookie()) c.header('set-cookie', cookie, { append: true })
    const text = await response.text()
    return {
      status: response.status,
      ok: response.ok,
      body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
      location: response.headers.get('location'),
    }
  }
}

export function linkInvalid(): NamedError {
  const text = 'This link is invalid, was already used or has expired. Ask for a new one.'
  return new NamedError('LinkInvalid', text, { status: 403 })
}

export function signInFailed(message = 'The e-mail address or the password is wrong.'): NamedError {
  return new NamedError('SignInFailed', message, { status: 401 })
}
