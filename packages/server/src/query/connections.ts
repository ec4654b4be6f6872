import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import type { QueryConnection } from '@troupe/core'
import { z } from 'zod'
import type { ServerLogin } from './process/messages.ts'

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,49}$/

/** The `connections` of the config. Only the home's config is used, since the settings hold passwords. */
export const connectionsSchema = z
  .record(
    z
      .string()
      .regex(namePattern, 'a name has letters, digits, "_" and "-"')
      .refine((name) => name !== 'troupe', '"troupe" is our own data'),
    z.discriminatedUnion('type', [
      z.looseObject({
        type: z.literal('sqlite'),
        path: z.string().min(1).max(4096).describe('the database file, absolute or from your home with ~'),
        write: z.boolean().optional().describe('lets agents ask to change data; default: false'),
      }),
      z.looseObject({
        type: z.enum(['postgres', 'mysql']).describe('mysql is also for MariaDB'),
        host: z
          .string()
          .min(1)
          .max(1000)
          .optional()
          .describe('a host name, or the folder or file of a local socket; default: 127.0.0.1'),
        port: z.int().min(1).max(65_535).optional(),
        database: z.string().min(1).max(200),
        user: z.string().min(1).max(200),
        password: z.string().max(2000).optional(),
        tls: z
          .union([
            z.boolean(),
            z.looseObject({
              verify: z.boolean().optional(),
              ca: z.string().max(4096).optional().describe('a file of certificates'),
            }),
          ])
          .optional()
          .describe('encrypts the connection and checks the certificate; default: true except on this machine'),
        write: z.boolean().optional().describe('lets agents ask to change data; default: false'),
      }),
    ]),
  )
  .optional()
  .describe('databases for Query, by name')

export type Connections = NonNullable<z.infer<typeof connectionsSchema>>
type Connection = Connections[string]
export type ServerConnection = Extract<Connection, { type: 'postgres' | 'mysql' }>

/** Names and types, and our own data first. */
export function listConnections(connections: Connections = {}): QueryConnection[] {
  const own: QueryConnection = { name: 'troupe', type: 'troupe', writable: false }
  const others = Object.entries(connections).map(([name, one]): QueryConnection => ({
    name,
    type: one.type,
    writable: one.write === true,
    ...(one.type === 'sqlite' && { file: databaseFile(one.path) }),
  }))
  return [own, ...others]
}

/** The absolute path of a database file of the config. */
export function databaseFile(given: string): string {
  return given.startsWith('~/') ? path.join(homedir(), given.slice(2)) : path.resolve(given)
}

export function loginOf(connection: ServerConnection): ServerLogin {
  const { host = '127.0.0.1', user, password = '', database } = connection
  return { host, user, password, database, tls: tlsOf(connection) }
}

/** The address of the server: a port, or a socket file. */
export function addressOf({
  type,
  host = '127.0.0.1',
  port,
}: ServerConnection): { host: string; port: number } | { path: string } {
  const number = port ?? (type === 'postgres' ? 5432 : 3306)
  if (!host.startsWith('/')) return { host, port: number }
  return { path: type === 'postgres' && !/\.s\.PGSQL\./.test(host) ? path.join(host, `.s.PGSQL.${number}`) : host }
}

function tlsOf({ tls, host = '127.0.0.1' }: ServerConnection): ServerLogin['tls'] {
  const isLocal = host.startsWith('/') || /^(localhost|127\.|\[?::1)/.test(host)
  if (tls === false || (tls === undefined && isLocal)) return false
  if (typeof tls !== 'object') return { verify: true }
  return { verify: tls.verify ?? true, ...(tls.ca !== undefined && { ca: readFileSync(tls.ca, 'utf8') }) }
}
