import path from 'node:path'
import type { DataParts } from '@troupe/protocol'

/** What we wrap texts in for a model, under names that files rarely have. No text in one can begin or end any of them. */
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

/** A text of others, marked as what it is. Pure, so that the same message is the same to a model each time. */
export function wrapBlock(tag: BlockTag, attributes: Record<string, string | undefined>, body: string): string {
  const named = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}=${attribute(value)}`],
  )
  return `<${tag}${named.join('')}>\n${body.replace(ownTagPattern, '<\\')}\n</${tag}>`.toWellFormed()
}

function attribute(value: string): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
}

/** What a person named with `@`, as a model is told it. */
export function mentionBlock({ kind, name, path, lines, content }: DataParts['mention']): string {
  if (kind === 'agent') return wrapBlock('mentioned-agent', { name }, content)
  return wrapBlock(kind === 'folder' ? 'mentioned-folder' : 'mentioned-file', { path: path ?? name, lines }, content)
}

/** A skill as a model is told it. Without a text: it has been told before in this conversation. */
export function skillBlock(skill: { name: string; path: string; content: string }): string {
  const { name, content } = skill
  const folder = path.dirname(skill.path)
  const body = content === '' ? 'This skill was loaded before, see above.' : content
  return wrapBlock('skill', { name, path: skill.path, folder }, body)
}
