import type { DocumentSource } from '../reader.ts'

const containers = new Set(['moov', 'trak'])
const maxBoxes = 1000

/** Width and height of the first picture track of an MP4 or MOV file. */
export async function mp4Size(source: DocumentSource): Promise<{ width: number; height: number } | undefined> {
  const waiting: [from: number, to: number][] = [[0, source.size]]
  let boxes = 0
  for (let range = waiting.shift(); range !== undefined; range = waiting.shift()) {
    let [at] = range
    while (at + 8 <= range[1] && boxes++ < maxBoxes) {
      const head = await source.bytesAt(at, 16)
      if (head.length < 8) break
      const kind = head.toString('latin1', 4, 8)
      if (at === 0 && kind !== 'ftyp') return undefined
      const short = head.readUInt32BE(0)
      const size =
        short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short === 0 ? range[1] - at : short
      if (size < 8) break
      if (containers.has(kind)) waiting.push([at + 8, Math.min(range[1], at + size)])
      if (kind === 'tkhd') {
        // The size is at the end of the track header, as numbers with 16 bits after the point.
        const end = await source.bytesAt(at + size - 8, 8)
        if (end.length === 8 && end.readUInt16BE(0) > 0)
          return { width: end.readUInt16BE(0), height: end.readUInt16BE(4) }
      }
      at += size
    }
  }
  return undefined
}
