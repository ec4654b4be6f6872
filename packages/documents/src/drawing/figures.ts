import type { Relationship } from '../package/relationships.ts'
import type { ZipPackage } from '../package/zip-package.ts'
import { chartLines } from './chart.ts'
import { diagramLines } from './diagram.ts'

const maxFigures = 200

/** Lines of the charts and diagrams that a part refers to, by their part. */
export async function readFigures(
  parts: ZipPackage,
  relationships: ReadonlyMap<string, Relationship>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const figures = new Map<string, string[]>()
  for (const { type, target, isExternal } of relationships.values()) {
    if (isExternal || figures.size >= maxFigures) continue
    if (type === 'chart') figures.set(target, await chartLines(parts, target))
    if (type === 'diagramData') figures.set(target, await diagramLines(parts, target))
  }
  return figures
}
