import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** A program of the system, or else of PATH. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...(env['PATH'] ?? '').split(path.delimiter)]
  return folders
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
