import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { AgentState } from '../agent-state.ts'
import { isInside } from '../files/resolve-path.ts'
import { checkJsx, jsxProblemText } from './check-jsx.ts'

/** Whether a real path is one of the session's previews. */
export function isJsxFile(real: string, { jsxFolder }: Pick<AgentState, 'jsxFolder'>): boolean {
  return isInside(real, jsxFolder) && path.extname(real) === '.jsx'
}

/** What the model should know of a preview that it has changed; undefined for every other file. */
export function jsxNote(real: string, state: Pick<AgentState, 'jsxFolder'>): string | undefined {
  if (!isJsxFile(real, state) || statSync(real, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  const { problem } = checkJsx(readFileSync(real, 'utf8'))
  if (problem === undefined) return 'The preview is valid and shown.'
  return `The preview is not valid and therefore not shown: ${jsxProblemText(problem)}`
}
