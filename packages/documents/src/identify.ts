import { readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DocumentReader, DocumentSource } from './reader.ts'
import { textOfHead } from './text/decode.ts'

export type NamedReader = DocumentReader & { format: string }

/** Names that promise no more than text, or nothing at all. */
const vagueNames = /^(te?xt|dat|data|bin|tmp|temp|bak|download|unknown|)$/

/**
 * The reader of a file. Content decides over the extension, which decides between several readers of the same content.
 * Archives come last, because most documents are archives, too.
 */
export async function identify(source: DocumentSource): Promise<NamedReader | undefined> {
  const readers = await loadReaders()
  const head = await source.bytesAt(0, 8192)
  const named = namedLike(source, readers)
  const matching: NamedReader[] = []
  for (const reader of readers) if ((await reader.matches?.(head, source)) === true) matching.push(reader)
  return (
    matching.find((reader) => named.includes(reader)) ??
    matching.find(({ isContainer }) => isContainer !== true) ??
    matching[0] ??
    identifyText(head, source, named, readers) ??
    named.find((reader) => reader.matches === undefined)
  )
}

/** Web pages, messages and tables are often saved under the name of an office document, which Office opens. */
function identifyText(
  head: Buffer,
  source: DocumentSource,
  named: readonly NamedReader[],
  readers: readonly NamedReader[],
): NamedReader | undefined {
  if (named.length === 0 && !vagueNames.test(extensionOf(source))) return undefined
  const text = textOfHead(head)
  const kind = named[0]?.format
  if (text === undefined || text.trim() === '') return undefined
  return readers.find((reader) => !named.includes(reader) && reader.looksLike?.(text, kind) === true)
}

/** The reader that the extension of a file stands for, whatever its content is. */
export async function namedReader(source: DocumentSource): Promise<NamedReader | undefined> {
  return namedLike(source, await loadReaders())[0]
}

/** A sentence for a file whose name is that of another format. */
export async function misnamedNote(source: DocumentSource, reader: NamedReader): Promise<string | undefined> {
  const extension = extensionOf(source)
  if (reader.extensions.includes(extension)) return undefined
  const isKnown = /^(te?xt|md)$/.test(extension) || namedLike(source, await loadReaders()).length > 0
  return isKnown ? `The name ends in ".${extension}", but the content is ${reader.title}.` : undefined
}

function namedLike(source: DocumentSource, readers: readonly NamedReader[]): NamedReader[] {
  const extension = extensionOf(source)
  return readers.filter(({ extensions }) => extensions.includes(extension))
}

function extensionOf({ name }: DocumentSource): string {
  return path.extname(name).slice(1).toLowerCase()
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
