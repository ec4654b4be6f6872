import { readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DocumentReader, DocumentSource } from './reader.ts'

export type NamedReader = DocumentReader & { format: string }

/**
 * The reader of a file. Content decides over the extension, which decides between several readers of the same content.
 * Archives come last, because most documents are archives, too.
 */
export async function identify(source: DocumentSource): Promise<NamedReader | undefined> {
  const readers = await loadReaders()
  const head = await source.bytesAt(0, 4096)
  const named = namedLike(source, readers)
  const matching: NamedReader[] = []
  for (const reader of readers) if ((await reader.matches?.(head, source)) === true) matching.push(reader)
  return (
    matching.find((reader) => named.includes(reader)) ??
    matching.find(({ isContainer }) => isContainer !== true) ??
    matching[0] ??
    named.find((reader) => reader.matches === undefined)
  )
}

/** The reader that the extension of a file stands for, whatever its content is. */
export async function namedReader(source: DocumentSource): Promise<NamedReader | undefined> {
  return namedLike(source, await loadReaders())[0]
}

function namedLike({ name }: DocumentSource, readers: readonly NamedReader[]): NamedReader[] {
  const extension = path.extname(name).slice(1).toLowerCase()
  return readers.filter(({ extensions }) => extensions.includes(extension))
}

let loading: Promise<NamedReader[]> | undefined

/** The folder is the registry. */
function loadReaders(): Promise<NamedReader[]> {
  loading ??= (async () => {
    const folder = path.join(import.meta.dirname, 'readers')
    const names = readdirSync(folder).filter((name) => /(?<!\.test)\.[jt]s$/.test(name))
    return Promise.all(
      names.toSorted().map(async (name) => {
        const { default: reader } = (await import(pathToFileURL(path.join(folder, name)).href)) as {
          default: DocumentReader
        }
        return { ...reader, format: path.parse(name).name }
      }),
    )
  })()
  return loading
}
