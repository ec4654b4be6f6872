import { readFileSync, statSync } from 'node:fs'
import type { ToolContext } from '../tool/tool.ts'
import { keepVersion } from './artifacts.ts'
import { checkJsx, isJsxFile, jsxProblemText, pageNotes } from './check-jsx.ts'

/** Keeps a version of a changed file that has a preview. Returns what the model should know about it. */
export async function previewNote(
  real: string,
  ctx: Pick<ToolContext, 'state' | 'messageId' | 'toolCallId'>,
): Promise<string | undefined> {
  if (statSync(real, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  const notes = [isJsxFile(real, ctx.state) ? await jsxNote(real) : undefined, await keepVersion(ctx, real)]
  const told = notes.filter((note) => note !== undefined)
  return told.length === 0 ? undefined : told.join(' ')
}

async function jsxNote(real: string): Promise<string> {
  const { problem, page } = checkJsx(readFileSync(real, 'utf8'))
  if (problem !== undefined) return `The preview is invalid and not shown: ${jsxProblemText(problem)}`
  return ['The preview is valid and shown.', ...(page === undefined ? [] : await pageNotes(page))].join(' ')
}
