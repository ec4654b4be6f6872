import { StringDecoder } from 'node:string_decoder'
import type { ZipEntry } from '../zip/zip-file.ts'
import { inlineText } from './xlsx-rows.ts'

/** Resolves shared strings by their index. */
export type SharedStrings = (indexes: ReadonlySet<number>) => Promise<ReadonlyMap<number, string>>

/** Up to this size, all strings are kept after the first call. */
const keptBytes = 4 * 2 ** 20
const maxStringLength = 8 * 2 ** 20

/** Reads shared strings on demand, and only up to the last one that is needed. */
export function sharedStrings(part: ZipEntry | undefined): SharedStrings {
  let all: ReadonlyMap<number, string> | undefined
  return async (indexes) => {
    if (part === undefined || indexes.size === 0) return new Map()
    if (all !== undefined) return all
    if (part.size > keptBytes) return readStrings(part, indexes)
    all = await readStrings(part)
    return all
  }
}

async function readStrings(part: ZipEntry, wanted?: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  const strings = new Map<number, string>()
  const last = wanted === undefined ? Infinity : largest(wanted)
  const decoder = new StringDecoder('utf8')
  let text = ''
  let index = 0
  let tags: { open: string; close: string } | undefined
  for await (const chunk of part.read()) {
    text += decoder.write(chunk as Buffer)
    if (tags === undefined) {
      const start = /<(?:([\w.-]+):)?si[\s>/]/.exec(text)
      if (start === null) continue
      const prefix = start[1] === undefined ? '' : `${start[1]}:`
      tags = { open: `<${prefix}si`, close: `</${prefix}si>` }
    }
    let at = 0
    for (;;) {
      const start = text.indexOf(tags.open, at)
      if (start === -1) break
      const tagEnd = text.indexOf('>', start)
      if (tagEnd === -1) break
      const isEmpty = text.charCodeAt(tagEnd - 1) === 47
      const found = isEmpty ? tagEnd : text.indexOf(tags.close, tagEnd)
      if (found === -1) break
      if (wanted === undefined || wanted.has(index))
        strings.set(index, isEmpty ? '' : inlineText(text.slice(tagEnd + 1, found)))
      at = isEmpty ? tagEnd + 1 : found + tags.close.length
      if (++index > last) return strings
    }
    text = text.slice(at)
    if (text.length > maxStringLength) throw new Error('A text of the workbook is too long to read.')
  }
  return strings
}

/** A set of a million indexes is too large for the arguments of a call. */
function largest(numbers: ReadonlySet<number>): number {
  let most = -1
  for (const one of numbers) most = Math.max(most, one)
  return most
}
