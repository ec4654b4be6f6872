import { readFileSync } from 'node:fs'
import os from 'node:os'
import type { Session } from '@troupe/core'

let base: string | undefined
const made = new Map<string, string>()

/**
 * What every model call of a session starts with. Depends on nothing that changes between turns, so caches hit. Equal
 * texts are one text: hundreds of runs may hold it.
 */
export function instructionsFor(session: Session, workspacePath: string, prompt?: string): string {
  base ??= readFileSync(new URL('./prompts/master.md', import.meta.url), 'utf8').trim()
  const facts = [
    `Workspace: ${workspacePath}`,
    `Operating system: ${os.type()} ${os.arch()}`,
    `The conversation began on ${new Date(session.createdAt).toISOString().slice(0, 10)}.`,
  ].join('\n')
  const key = prompt === undefined ? facts : `${prompt}\n${facts}`
  const known = made.get(key)
  if (known !== undefined) return known
  if (made.size > 100) made.clear()
  const instructions = `${prompt ?? base}\n\n${facts}`
  made.set(key, instructions)
  return instructions
}
