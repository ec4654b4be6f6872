import type { Part } from '@troupe/core'
import { record } from './loose.ts'
import { callPart, reasoningPart, textPart } from './parts.ts'

/** Open WebUI writes thoughts and calls into the text as `<details>`; here they are parts again. */
export function splitDetails(id: string, content: string): Part[] {
  const parts: Part[] = []
  let at = 0
  let count = 0
  let close = -1
  for (const { 0: tag, 1: inside = '', index } of content.matchAll(/<details\s([^<>]*)>/g)) {
    if (index < at) continue
    const start = index + tag.length
    if (close < start) close = content.indexOf(closing, start)
    if (close === -1) break
    const made = detailsParts(`${id}-${count++}`, parseAttributes(inside), content.slice(start, close))
    if (made === undefined) continue
    parts.push(...textPart(content.slice(at, index)), ...made)
    at = close + closing.length
    while (/\s/.test(content.charAt(at))) at++
  }
  return [...parts, ...textPart(content.slice(at))]
}

const closing = '</details>'

/** Undefined for what a person may have written themselves. */
function detailsParts(id: string, attributes: Map<string, string>, inside: string): Part[] | undefined {
  const kind = attributes.get('type')
  if (kind === 'reasoning') {
    const body = inside.replace(/^\s*<summary>[\s\S]*?<\/summary>\s*/, '').replace(/^> ?/gm, '')
    return reasoningPart(unescapeHtml(body))
  }
  if (kind !== 'tool_calls') return undefined
  return [
    callPart({
      id: attributes.get('id') || id,
      name: attributes.get('name') ?? '',
      input: record(parse(attributes.get('arguments') ?? '')),
      output: asText(parse(attributes.get('result') ?? '')),
    }),
  ]
}

function parseAttributes(source: string): Map<string, string> {
  return new Map(
    Array.from(source.matchAll(/([\w-]+)="([^"]*)"/g), ([, name, value]) => [name ?? '', unescapeHtml(value ?? '')]),
  )
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'", '#39': "'" }

function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27|#39);/g, (_, name: string) => entities[name] ?? '')
}

/** Arguments are JSON, sometimes JSON in a JSON text. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? parse(value) : value
  } catch {
    return text
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
