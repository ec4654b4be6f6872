import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createServerFolder, findPostgres, stopPostgresServer } from './postgres-server.ts'

/** Runs once for all tests: a place for the server that the first test which needs it starts, and its end. */
export function setup(): (() => Promise<void>) | undefined {
  if (findPostgres() === undefined) return undefined
  const place = createServerFolder('postgres')
  process.env['TROUPE_TEST_POSTGRES'] = JSON.stringify(place)
  return async () => {
    const state = path.join(place.folder, 'server.json')
    if (!existsSync(state)) return rmSync(place.folder, { recursive: true, force: true })
    const { pid } = JSON.parse(readFileSync(state, 'utf8')) as { pid: number }
    await stopPostgresServer(pid, place.folder)
  }
}
