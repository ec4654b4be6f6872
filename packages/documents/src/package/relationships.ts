import path from 'node:path'
import { attribute, childNamed, childrenNamed } from '../xml/parse-xml.ts'
import type { ZipPackage } from './zip-package.ts'

export interface Relationship {
  id: string
  /** Last part of the type: `hyperlink`, `image`. */
  type: string
  /** Name of the part, or the address of something outside. */
  target: string
  isExternal: boolean
}

/** The relationships of a part, by ID. The part `''` is the package. */
export async function relationshipsOf(parts: ZipPackage, part: string): Promise<ReadonlyMap<string, Relationship>> {
  const folder = path.posix.dirname(part)
  const file = path.posix.join(folder, '_rels', `${path.posix.basename(part)}.rels`)
  const found = new Map<string, Relationship>()
  const root = childNamed(await parts.xml(part === '' ? '_rels/.rels' : file), 'Relationships')
  for (const each of root === undefined ? [] : childrenNamed(root, 'Relationship')) {
    const id = attribute(each, 'Id') ?? ''
    const target = attribute(each, 'Target') ?? ''
    const isExternal = attribute(each, 'TargetMode') === 'External'
    const type = (attribute(each, 'Type') ?? '').split('/').at(-1)!
    found.set(id, { id, type, isExternal, target: isExternal ? target : resolvePart(folder, target) })
  }
  return found
}

export function resolvePart(folder: string, target: string): string {
  const plain = target.split('#')[0]!.replaceAll('\\', '/')
  const name = plain.startsWith('/') ? plain : path.posix.join(folder === '.' ? '' : folder, plain)
  let decoded = name
  try {
    decoded = decodeURIComponent(name)
  } catch {
    // The name has a percent sign that is no escape.
  }
  return path.posix.normalize(decoded).replace(/^(\.\.\/|\/)+/, '')
}

/** Name of the main part, such as `word/document.xml`. */
export async function mainPart(parts: ZipPackage, usual: string): Promise<string> {
  for (const { type, target } of (await relationshipsOf(parts, '')).values())
    if (type === 'officeDocument' && parts.size(target) !== undefined) return target
  if (parts.size(usual) !== undefined) return usual
  throw new Error(`The document is damaged: it has no ${usual}. Ask for another copy.`)
}

/** A sentence about parts that are outside of the document. Links that a person clicks are not among them. */
export function outsideNote(relationships: Iterable<Relationship>): string | undefined {
  const targets = [...relationships]
    .filter(({ isExternal, type }) => isExternal && type !== 'hyperlink')
    .map(({ type, target }) => `${type} ${target.slice(0, 200)}`)
  if (targets.length === 0) return undefined
  const shown = [...new Set(targets)].slice(0, 5)
  return `The document refers to files outside of it, which were not loaded: ${shown.join(', ')}${targets.length > 5 ? ', …' : ''}.`
}
