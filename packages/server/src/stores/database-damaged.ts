import { join } from 'node:path'
import { NamedError } from '@troupe/core'

export function databaseDamaged(home: string, reason: string): NamedError {
  const path = join(home, 'troupe.db')
  const fix = `Move it away (and ${path}-wal and ${path}-shm, where they are there), then run: troupe import "${join(home, 'sessions')}"`
  const message = `${path} is damaged or no database (${reason.replace(/\s+/g, ' ')}); it was left as it is. ${fix}`
  return new NamedError('DatabaseDamaged', message, { data: { path, fix } })
}
