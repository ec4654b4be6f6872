import { readFileSync } from 'node:fs'
import { NamedError } from '@troupe/protocol'

/** Names the database without a URL: `TROUPE_DATABASE_URL`, or the file that `TROUPE_DATABASE_URL_FILE` names. */
export const databaseFromEnvironment = 'postgres'

export function isDatabaseUrl(text: string): boolean {
  return text === databaseFromEnvironment || /^postgres(ql)?:\/\//.test(text)
}

/**
 * Completes the address of a Postgres database. A command line is visible to other users, so the password comes from
 * `PGPASSWORD`, a password file, or the URL in the environment. Throws `NoDatabaseUrl` (400).
 */
export function resolveDatabaseUrl(given: string, env: NodeJS.ProcessEnv): string {
  const text = given === databaseFromEnvironment ? fromEnvironment(env) : given
  const url = URL.parse(text)
  if (url === null || !isDatabaseUrl(text))
    throw noUrl('This is no URL of a Postgres database: postgres://user@host/name')
  if (url.password === '' && env['PGPASSWORD'] !== undefined) url.password = encodeURIComponent(env['PGPASSWORD'])
  return url.href
}

export function hasPassword(url: string): boolean {
  return (URL.parse(url)?.password ?? '') !== ''
}

function fromEnvironment(env: NodeJS.ProcessEnv): string {
  const { TROUPE_DATABASE_URL: url, TROUPE_DATABASE_URL_FILE: file } = env
  if (url !== undefined && url !== '') return url
  if (file === undefined || file === '')
    throw noUrl('Set TROUPE_DATABASE_URL, or TROUPE_DATABASE_URL_FILE to a file with the URL.')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw noUrl(`${file} cannot be read: ${(error as Error).message}`)
  }
}

function noUrl(message: string): NamedError {
  return new NamedError('NoDatabaseUrl', message)
}
