import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openHome, writePrivately } from '@troupe/server/home'
import { z } from 'zod'
import { type CommandContext, UsageError } from './command.ts'
import { bind, type Connection, createLoadProblemReporter } from './connect.ts'

const loginsSchema = z.record(z.string(), z.object({ token: z.string() }))

/** Tokens of team servers by origin, in `logins.json` of the home. Only this user can read the file. */
export function openLogins(env: NodeJS.ProcessEnv) {
  const home = openHome({ env }).path
  const file = path.join(home, 'logins.json')
  const read = (): z.infer<typeof loginsSchema> => {
    try {
      return loginsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw new UsageError(`${file} cannot be read (${(error as Error).message}). Delete it and sign in again.`)
    }
  }
  return {
    token: (origin: string): string | undefined => read()[origin]?.token,
    set(origin: string, token: string | undefined): void {
      const { [origin]: _, ...others } = read()
      mkdirSync(home, { recursive: true, mode: 0o700 })
      writePrivately(
        file,
        `${JSON.stringify(token === undefined ? others : { ...others, [origin]: { token } }, null, 2)}\n`,
      )
    },
  }
}

/** The origin of an address that the user typed. Plain http would send the token in the clear. */
export function serverOrigin(given: string): string {
  const url = URL.parse(/^https?:/.test(given) ? given : `https://${given}`)
  const isLocal = url !== null && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
  if (url === null || (url.protocol !== 'https:' && !isLocal))
    throw new UsageError(`"${given}" is not the address of a server; use https://…`)
  return url.origin
}

/** Sends requests to a team's server, as the person who signed in there or with the API token in TROUPE_TOKEN. */
export async function connectToServer(
  context: CommandContext,
  server: string,
  workspace?: string,
): Promise<Connection> {
  const origin = serverOrigin(server)
  const token = context.env['TROUPE_TOKEN'] || openLogins(context.env).token(origin)
  if (token === undefined) throw new UsageError(`you are not signed in to ${origin}: run "troupe login ${origin}"`)
  const send = (target: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetch(origin + target, { ...init, headers })
  }
  const problems = createLoadProblemReporter(context)
  const connection = bind(send, workspace, { problems, close: () => Promise.resolve() })
  const { person } = await connection.call('GET /ai/me')
  if (person === null) throw new UsageError(`your sign-in to ${origin} has ended: run "troupe login ${origin}"`)
  return connection
}
