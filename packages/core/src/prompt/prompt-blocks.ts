import path from 'node:path'
import type { DataParts } from '@troupe/protocol'

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
