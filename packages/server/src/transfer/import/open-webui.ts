import type { Part } from '@troupe/protocol'
import { buildSession, type ForeignMessage, type Importer, type ImportFiles } from './importer.ts'
import {
  blobPart,
  callPart,
  dataBytes,
  filePart,
  instructionsPart,
  isWebAddress,
  list,
  type Loose,
  reasoningPart,
  record,
  text,
  textPart,
  time,
} from './message-parts.ts'

/** Open WebUI embeds reasoning and calls in the text as `<details>`. Converts them back to parts. */
function splitDetails(id: string, content: string): Part[] {
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

/** Returns undefined for markup the user may have written. */
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

/** Arguments are JSON, sometimes encoded twice. */
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

/** Open WebUI's chat export: `chat.history.messages` by id, with parents. */
export const openWebUi: Importer = {
  name: 'Open WebUI',
  accepts: (entry) => Object.keys(messagesIn(chatIn(entry))).length > 0,
  async read(entry, files) {
    const outside = record(entry)
    const chat = chatIn(entry)
    const id = text(outside['id']) || text(chat['id'])
    if (id === '') throw new Error('it has no id')
    const messages: ForeignMessage[] = []
    for (const [key, value] of Object.entries(messagesIn(chat))) {
      await files.breathe()
      const message = record(value)
      const parent = text(message['parentId'])
      const model = text(message['model'])
      const given = text(message['role'])
      const role = given === 'user' ? 'user' : 'assistant'
      const failure = text(record(message['error'])['content']) || text(message['error'])
      messages.push({
        id: key,
        parentId: parent === '' ? null : parent,
        role,
        parts: given === 'system' ? instructionsPart(text(message['content'])) : await readParts(key, message, files),
        createdAt: time(message['timestamp']),
        metadata:
          role === 'assistant'
            ? { ...(model !== '' && { model }), ...(failure !== '' && { error: { name: 'Error', message: failure } }) }
            : undefined,
      })
    }
    return buildSession(files, {
      prefix: 'openwebui-',
      id,
      title: text(outside['title']) || text(chat['title']),
      createdAt: time(outside['created_at']) ?? time(chat['timestamp']),
      updatedAt: time(outside['updated_at']),
      archived: outside['archived'] === true,
      pinned: outside['pinned'] === true,
      current: text(record(chat['history'])['currentId']),
      messages,
    })
  },
}

/** Older exports contain the chat without its wrapper. */
function chatIn(entry: unknown): Loose {
  const { chat } = record(entry)
  return chat === undefined ? record(entry) : record(chat)
}

function messagesIn(chat: Loose): Loose {
  return record(record(chat['history'])['messages'])
}

async function readParts(id: string, message: Loose, files: ImportFiles): Promise<Part[]> {
  const content = message['content']
  const pieces = typeof content === 'string' ? splitDetails(id, content) : []
  for (const piece of list(content).map(record)) {
    if (piece['type'] === 'text') pieces.push(...textPart(text(piece['text'])))
    else pieces.push(...(await inlineFile(text(record(piece['image_url'])['url']), 'image', files)))
  }
  for (const file of list(message['files']).map(record)) {
    const inner = record(file['file'])
    const name = text(file['name']) || text(inner['filename']) || 'file'
    const told = text(record(inner['data'])['content'])
    pieces.push(...(told === '' ? await inlineFile(text(file['url']), name, files) : [filePart(name, told)]))
  }
  return [...pieces, ...sourceParts(message)]
}

/** An image is inline in the export or only on the other server. */
async function inlineFile(url: string, name: string, files: ImportFiles): Promise<Part[]> {
  const found = dataBytes(url)
  if (found !== undefined) return [await blobPart(files.blobs, found.bytes, name, found.mediaType)]
  return textPart(`[${name} is not in the export.]`)
}

function sourceParts(message: Loose): Part[] {
  const urls = new Map<string, string>()
  for (const source of list(message['sources']).map(record)) {
    for (const one of [source['source'], ...list(source['metadata'])].map(record)) {
      const url = text(one['url']) || text(one['source'])
      if (isWebAddress(url) && !urls.has(url)) urls.set(url, text(one['title']) || text(one['name']))
    }
  }
  return [...urls].map(([url, title], index) => ({
    type: 'source-url',
    sourceId: `source-${index}`,
    url,
    ...(title !== '' && { title }),
  }))
}
