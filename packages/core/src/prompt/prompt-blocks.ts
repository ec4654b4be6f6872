import path from 'node:path'
import { dataParts, type DataParts, type Part } from '@troupe/protocol'
import { blobHash, type ReadCall, readFileResults } from './prompt-files.ts'

/**
 * Tags that wrap texts for a model, with names rarely found in files. Wrapped text cannot open or close any of them.
 */
const tags = [
  'skill',
  'person-command',
  'mcp-prompt',
  'mentioned-file',
  'mentioned-folder',
  'mentioned-agent',
  'image-description',
  'conversation-summary',
] as const
type BlockTag = (typeof tags)[number]

const ownTagPattern = new RegExp(String.raw`<(?=[\s/\\]*(?:${tags.join('|')})(?![\w-]))`, 'gi')

/** Wraps third-party text in a tag. Pure, so the same message always renders the same. */
export function wrapBlock(tag: BlockTag, attributes: Record<string, string | undefined>, body: string): string {
  const named = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}=${attribute(value)}`],
  )
  return `<${tag}${named.join('')}>\n${body.replace(ownTagPattern, '<\\')}\n</${tag}>`.toWellFormed()
}

function attribute(value: string): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
}

export function mentionBlock({ kind, name, path, lines, content }: DataParts['mention']): string {
  if (kind === 'agent') return wrapBlock('mentioned-agent', { name }, content)
  return wrapBlock(kind === 'folder' ? 'mentioned-folder' : 'mentioned-file', { path: path ?? name, lines }, content)
}

/** Renders a skill for the model. Empty content means it was loaded earlier in this chat. */
export function skillBlock(skill: { name: string; path: string; content: string }): string {
  const { name, content } = skill
  const folder = path.dirname(skill.path)
  const body = content === '' ? 'This skill was loaded earlier; see above.' : content
  return wrapBlock('skill', { name, path: skill.path, folder }, body)
}

export type ImageDescription = DataParts['image-description']
type Parts = readonly { parts: readonly Part[] }[]

/** Returns the images in these messages, oldest first, without duplicates. */
export function imagesIn(messages: Parts): { sha256: string; name: string }[] {
  const images = new Map<string, string>()
  for (const { parts } of messages) {
    for (const part of parts) for (const { sha256, name } of imagesOf(part)) images.set(sha256, name)
  }
  return [...images].map(([sha256, name]) => ({ sha256, name }))
}

/** Returns the images of one part. Skips images that are not blobs. */
export function imagesOf(part: Part): { sha256: string; name: string }[] {
  if (part.type === 'file') {
    const sha256 = /^image\//i.test(part.mediaType) ? blobHash(part.url) : undefined
    return sha256 === undefined ? [] : [{ sha256, name: part.filename?.trim() || 'image' }]
  }
  if (part.type === 'steering-message') return part.parts.flatMap((one) => imagesOf(one as Part))
  if ('toolCallId' in part)
    return readFileResults(part as ReadCall).flatMap(({ kind, blob, path }) =>
      kind === 'image' ? [{ sha256: blob, name: path }] : [],
    )
  if (part.type !== 'data-command') return []
  const { data } = dataParts.command.schema.safeParse(part.data)
  return (data?.pictures ?? []).map(({ blob }) => ({ sha256: blob, name: data?.name ?? 'image' }))
}

/** Renders a description for a model without vision. Another model wrote the text, so it is wrapped. */
export function descriptionBlock({ name, model, text, problem }: ImageDescription): string {
  if (problem !== undefined) return `[${name} could not be described: ${problem}]`.toWellFormed()
  return wrapBlock('image-description', { name, by: model }, text)
}
