import { statfs } from 'node:fs/promises'
import type { Store, Workspace } from '@troupe/core'
import { backUpHome, listBackups } from '../data/back-up-home.ts'
import type { HomeUsage } from '../data/measure-places.ts'
import type { Finding } from '../doctor/diagnose.ts'
import { createKeyedMutex } from '../in-turn.ts'
import { route, type Route } from '../route.ts'
import { runInWorker } from '../run-apart.ts'

export interface DataRoutesOptions {
  /** Where everything of the person lies. */
  homePath: string
  store: Store
  /** A whole copy of the database while it is in use. */
  copyDatabase: (target: string) => Promise<void>
  /** What the doctor finds in a folder. */
  diagnose: (folder: string) => Promise<Finding[]>
}

export function dataRoutes(options: DataRoutesOptions): Route[] {
  const { store } = options
  const inTurn = createKeyedMutex()
  return [
    route({
      method: 'GET',
      path: '/ai/data',
      summary: 'Where the data lies, how much room it takes, and the backups.',
      answers: { 200: '{home, places: [{name, path, files, bytes}], backups: [{path, createdAt}], free}' },
      async handle(c) {
        const { homePath: home } = options
        const { bavail, bsize } = await statfs(home)
        return c.json({
          home,
          places: await runInWorker<HomeUsage[]>(new URL('../data/measure-home-worker.ts', import.meta.url), home),
          backups: await listBackups(home),
          free: bavail * bsize,
        })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/data/backup',
      summary: 'Copies everything that cannot be made anew to a folder of its own in the home.',
      answers: { 201: '{backup: {path, createdAt}}' },
      handle: (c) =>
        inTurn('backup', async () => c.json({ backup: await backUpHome(options.homePath, options.copyDatabase) }, 201)),
    }),
    route({
      method: 'GET',
      path: '/ai/doctor',
      summary: 'What "troupe doctor" finds on this machine.',
      scoped: true,
      answers: { 200: '{findings: [{status: ok|info|warn|fail, name, text, fix?}]}' },
      async handle(c, { workspaceId }) {
        const { path } = (await store.workspaces.get(workspaceId)) as Workspace
        return c.json({ findings: await options.diagnose(path) })
      },
    }),
  ]
}
