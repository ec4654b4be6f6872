import type { DataParts } from '../protocol/data-parts.ts'
import { wrapBlock } from '../run/wrap-block.ts'

/** What a person named with `@`, as a model is told it. */
export function mentionBlock({ kind, name, path, lines, content }: DataParts['mention']): string {
  if (kind === 'agent') return wrapBlock('mentioned-agent', { name }, content)
  return wrapBlock(kind === 'folder' ? 'mentioned-folder' : 'mentioned-file', { path: path ?? name, lines }, content)
}
