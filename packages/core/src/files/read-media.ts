import { formatCount } from './show-name.ts'
import { Buffer } from 'node:buffer'
import { readSync } from 'node:fs'
import type { ToolContext } from '../tool.ts'
import type { FileKind } from './file-kind.ts'
import { imageSize } from './image-size.ts'
import type { OpenedFile, ReadResult } from './read-result.ts'
import { readOpenFile, sha256Of } from './snapshot.ts'
import { recordRead } from './stamps.ts'
import { mediaProblem } from './why-not-shown.ts'

const maxMediaBytes = 32 * 2 ** 20
const headerBytes = 2 ** 18

/** An image or a PDF: described for the model, its bytes kept as a blob where there is a place for them. */
export async function readMedia(
  file: OpenedFile,
  { kind, mediaType }: Extract<FileKind, { mediaType: string }>,
  ctx: ToolContext,
): Promise<ReadResult> {
  const { fd, size, shown, name } = file
  const header = Buffer.alloc(Math.min(size, headerBytes))
  readSync(fd, header, 0, header.length, 0)
  const pixels = imageSize(header, mediaType)
  const bytes = size <= maxMediaBytes ? await readOpenFile(fd, size) : undefined
  const blob = bytes === undefined ? undefined : await ctx.blobs?.put(bytes, mediaType)
  recordRead(ctx.state, file.real, { stats: file.stats, sha256: bytes === undefined ? '' : sha256Of(bytes) }, 'all')
  const what = kind === 'pdf' ? 'a PDF document' : `an image (${mediaType.slice('image/'.length).toUpperCase()})`
  const dimensions = pixels === undefined ? '' : `, ${pixels.width} x ${pixels.height} pixels`
  const kept = blob === undefined ? 'Its content cannot be shown here.' : `It is kept as blob ${blob.sha256}.`
  return {
    output: { kind, path: name, mediaType, size, ...pixels, ...(blob !== undefined && { blob: blob.sha256 }) },
    text: `${shown} is ${what}${dimensions}, ${formatCount(size, 'byte')}. ${mediaProblem({ kind, size, ...pixels }) ?? kept}`,
  }
}
