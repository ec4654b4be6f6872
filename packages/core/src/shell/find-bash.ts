import path from 'node:path'
import { isProgram } from '../is-program.ts'

/** The shell that commands run in, whatever PATH an agent has exported. */
export function findBash(): string {
  found ??= places().find(isProgram)
  if (found === undefined)
    throw new Error('There is no bash on this machine, so commands cannot run. Ask the person to install it.')
  return found
}

let found: string | undefined

function places(): string[] {
  const folders = [
    '/bin',
    '/usr/bin',
    '/usr/local/bin',
    '/opt/homebrew/bin',
    ...(process.env['PATH'] ?? '').split(path.delimiter),
  ]
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, 'bash'))
}
