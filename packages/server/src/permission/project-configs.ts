import path from 'node:path'
import { readConfig, type Config } from '../config.ts'
import { watchFile, type WatchedFile } from '../watched-file.ts'

/** `.troupe/config.json` of each workspace. Whether it is trusted is for the asker to know. */
export type ProjectConfigs = (workspace: { path: string }) => WatchedFile<Config>

export function createProjectConfigs(): ProjectConfigs {
  const files = new Map<string, WatchedFile<Config>>()
  return (workspace) => {
    const file = path.join(workspace.path, '.troupe', 'config.json')
    const known = files.get(file) ?? watchFile(file, readConfig)
    files.set(file, known)
    return known
  }
}
