import path from 'node:path'
import { resolvePath } from '../files/resolve-path.ts'
import type { ToolContext } from '../tool.ts'

export interface SearchTarget {
  /** A real path. */
  folder: string
  /** What in the folder is searched: `./`, or one file. */
  target: string
  /** How to name it to the model. */
  shown: string
}

/** Where a search looks. Throws when there is nothing. */
export function resolveSearchTarget(ctx: Pick<ToolContext, 'state'>, given: string | undefined): SearchTarget {
  const { path: real, shown, stats } = resolvePath(ctx, given ?? '.', { for: 'read' })
  if (stats === undefined)
    throw new Error(`"${given}" does not exist, so nothing was searched. Glob finds files and folders by name.`)
  if (stats.isDirectory()) return { folder: real, target: './', shown }
  return { folder: path.dirname(real), target: `./${path.basename(real)}`, shown }
}
