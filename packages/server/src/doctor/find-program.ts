import path from 'node:path'
import { isProgram } from '@troupe/core'

/** The first of these programs that lies on PATH. */
export function findProgram(names: string[], env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter(Boolean)
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : ['']
  const candidates = names.flatMap((name) =>
    folders.flatMap((folder) => endings.map((ending) => path.join(folder, name + ending))),
  )
  return candidates.find(isProgram)
}
