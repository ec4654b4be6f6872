import path from 'node:path'
import { isProgram } from '../is-program.ts'

/** A program of the system, or else of PATH. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...(env['PATH'] ?? '').split(path.delimiter)]
  return folders
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isProgram)
}
