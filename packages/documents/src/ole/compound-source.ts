import type { DocumentSource } from '../reader.ts'
import { type CompoundFile, isCompoundFile, openCompoundFile } from './compound-file.ts'

const maxBytes = 200 * 2 ** 20
const opened = new WeakMap<DocumentSource, Promise<CompoundFile | undefined>>()

/** The compound file that a source is, opened once for all readers that ask. Undefined if it is none or damaged. */
export function compoundSource(head: Buffer, source: DocumentSource): Promise<CompoundFile | undefined> {
  if (!isCompoundFile(head) || source.size > maxBytes) return Promise.resolve(undefined)
  const known = opened.get(source)
  if (known !== undefined) return known
  const file = source
    .bytes(maxBytes)
    .then(openCompoundFile)
    .catch(() => undefined)
  opened.set(source, file)
  return file
}

/** For a reader whose format was recognized. */
export async function openCompoundSource(source: DocumentSource): Promise<CompoundFile> {
  const file = await compoundSource(await source.bytesAt(0, 8), source)
  if (file === undefined) throw new Error(`${source.name} is damaged. Ask for another copy.`)
  return file
}
