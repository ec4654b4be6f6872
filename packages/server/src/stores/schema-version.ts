import { NamedError } from '@troupe/core'

/** The version of the tables that this program writes: the number of migrations. */
export const schemaVersion = 7

export function newerDatabase(version: number, known: number = schemaVersion): NamedError {
  const message = `The database has version ${version}, this program knows ${known}. Use a newer version of Troupe.`
  return new NamedError('NewerDatabase', message, { status: 409, data: { version, known } })
}
