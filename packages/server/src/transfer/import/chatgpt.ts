import type { Part } from '@troupe/protocol'
import { buildSession, type ForeignMessage, type Importer, type ImportFiles } from './importer.ts'
import {
  blobPart,
  callPart,
  isWebAddress,
  list,
  type Loose,
  reasoningPart,
  record,
  text,
  textPart,
  time,
} from './message-parts.ts'

/** Citation and widget marks: between U+E200 and U+E201, with fields separated by U+E202. */
const citationMarks = /\s?\ue200([^\ue200\ue201]*)\ue201/g
const citationBrackets = /\s?【\d{1,6}(?::\d{1,6})?†[^【】]{0,300}】/g

/** Returns the text as the user saw it: replaces marks with their visible text. */
function cleanCitations(given: string, metadata: Loose): string {
  let clean = given
  for (const reference of list(metadata['content_references'])) {
    const { matched_text: mark, alt } = record(reference)
    if (text(mark).includes('\ue200') && text(alt) !== '') clean = clean.replaceAll(text(mark), () => text(alt))
  }
  return clean
    .replace(citationMarks, (whole, inside: string) => {
      const words = markText(inside)
      return words === '' ? '' : (whole.startsWith('\ue200') ? '' : whole.charAt(0)) + words
    })
    .replace(citationBrackets, '')
    .replace(/[\ue200-\ue206]/g, '')
}

/** A link shows its title, an entity its name, and a citation nothing. */
function markText(inside: string): string {
  const [kind, ...fields] = inside.split('\ue202')
  if (kind === 'url' || kind === 'link_title') return fields[0] ?? ''
  if (kind !== 'entity') return ''
  try {
    return text(list(JSON.parse(fields[0] ?? ''))[1])
  } catch {
    return ''
  }
}

function citedSources(metadata: Loose): Part[] {
  const found = new Map<string, string>()
  const take = (value: unknown): void => {
    const { url, title, items, sources, metadata: inner } = record(value)
    if (isWebAddress(text(url)) && !found.has(text(url))) found.set(text(url), text(title))
    for (const one of [...list(items), ...list(sources), ...(inner === undefined ? [] : [inner])]) take(one)
  }
  for (const one of [...list(metadata['content_references']), ...list(metadata['citations'])]) take(one)
  return [...found].slice(0, 100).map(([url, title], index) => ({
    type: 'source-url',
    sourceId: `source-${index}`,
    url,
    ...(title !== '' && { title }),
  }))
}

/** Content sent to the model but never shown to the user. */
const hiddenContentTypes = new Set([
  'user_editable_context',
  'model_editable_context',
  'reasoning_recap',
  'app_pairing_content',
])

/** `conversations.json` of a ChatGPT export: a `mapping` of nodes with parents, including all branches. */
export const chatgpt: Importer = {
  name: 'ChatGPT',
  accepts: (entry) => Object.keys(record(record(entry)['mapping'])).length > 0,
  async read(entry, files) {
    const conversation = record(entry)
    const id = text(conversation['conversation_id']) || text(conversation['id'])
    if (id === '') throw new Error('it has no id')
    const messages: ForeignMessage[] = []
    for (const [nodeId, value] of Object.entries(record(conversation['mapping']))) {
      await files.breathe()
      const node = record(value)
      const parent = text(node['parent'])
      messages.push({
        id: nodeId,
        parentId: parent === '' ? null : parent,
        ...(await readMessage(nodeId, record(node['message']), files)),
      })
    }
    attachResults(messages)
    return buildSession(files, {
      prefix: 'chatgpt-',
      id,
      title: text(conversation['title']),
      createdAt: time(conversation['create_time']),
      updatedAt: time(conversation['update_time']),
      archived: conversation['is_archived'] === true,
      pinned: conversation['is_starred'] === true,
      current: text(conversation['current_node']),
      messages,
    })
  },
}

/** `result` holds a node's tool result until it is attached to its call. */
type ParsedMessage = Omit<ForeignMessage, 'id' | 'parentId'> & { result?: { name: string; output: string } }

async function readMessage(id: string, message: Loose, files: ImportFiles): Promise<ParsedMessage> {
  const author = record(message['author'])
  const content = record(message['content'])
  const metadata = record(message['metadata'])
  const role = text(author['role'])
  const kind = text(content['content_type'])
  const model = text(metadata['model_slug'])
  const read: ParsedMessage = {
    role: role === 'user' ? 'user' : 'assistant',
    parts: [],
    createdAt: time(message['create_time']),
    metadata: role === 'assistant' && model !== '' ? { model: `openai/${model}` } : undefined,
  }
  const hidden = metadata['is_visually_hidden_from_conversation'] === true || hiddenContentTypes.has(kind)
  if (hidden || !['user', 'assistant', 'tool'].includes(role)) return read
  if (role === 'tool') return { ...read, ...(await readResult(text(author['name']), content, files)) }
  const recipient = text(message['recipient'])
  if (role === 'assistant' && recipient !== '' && recipient !== 'all') {
    const code = text(content['text']) || plainParts(content)
    return { ...read, parts: [callPart({ id, name: recipient, input: callInput(code), output: '' })] }
  }
  return { ...read, parts: await readContent(kind, content, metadata, files) }
}

async function readContent(kind: string, content: Loose, metadata: Loose, files: ImportFiles): Promise<Part[]> {
  if (kind === 'thoughts') return list(content['thoughts']).flatMap((thought) => reasoningPart(thoughtText(thought)))
  if (kind === 'code') return textPart(fenced(text(content['text']), text(content['language'])))
  if (kind === 'system_error') return textPart(`${text(content['name'])}: ${text(content['text'])}`)
  const parts: Part[] = []
  const attachments = new Map(list(metadata['attachments']).map((one) => [text(record(one)['id']), record(one)]))
  for (const piece of list(content['parts'])) {
    if (typeof piece === 'string') parts.push(...textPart(cleanCitations(piece, metadata)))
    else parts.push(...(await readPiece(record(piece), files, attachments)))
  }
  if (parts.length === 0) parts.push(...textPart(text(content['text']) || text(content['result'])))
  for (const [id, attachment] of attachments) parts.push(...(await namedFile(id, attachment, files)))
  return [...parts, ...citedSources(metadata)]
}

function thoughtText(value: unknown): string {
  const { summary, content } = record(value)
  return [text(summary), text(content)].filter((piece) => piece !== '').join('\n\n')
}

/** Reads an image, audio or a transcript. Removes the attachments it uses from the map. */
async function readPiece(piece: Loose, files: ImportFiles, attachments = new Map<string, Loose>()): Promise<Part[]> {
  const kind = text(piece['content_type'])
  if (kind === 'audio_transcription') return textPart(text(piece['text']))
  const pointer = text(piece['asset_pointer']) || text(record(piece['audio_asset_pointer'])['asset_pointer'])
  if (pointer === '') return textPart(text(piece['text']))
  const id = pointer.replace(/^[\w-]+:\/\//, '')
  const named = attachments.get(id) ?? {}
  attachments.delete(id)
  return namedFile(id, named, files)
}

/** Returns the archive file with this id, or a note that it is missing. */
async function namedFile(id: string, attachment: Loose, files: ImportFiles): Promise<Part[]> {
  const name = text(attachment['name'])
  const mediaType = text(attachment['mimeType']) || text(attachment['mime_type'])
  const found = id === '' ? undefined : await files.find(id)
  if (found !== undefined) return [await blobPart(files.blobs, found.bytes, name || found.name, mediaType)]
  return textPart(`[${name || 'A file'} is not in the export.]`)
}

async function readResult(
  name: string,
  content: Loose,
  files: ImportFiles,
): Promise<Pick<ParsedMessage, 'parts' | 'result'>> {
  const kind = text(content['content_type'])
  const quote = kind === 'tether_quote' ? `${text(content['title'])}\n${text(content['url'])}\n\n` : ''
  const output = quote + (text(content['text']) || text(content['result']) || plainParts(content))
  const parts: Part[] = []
  for (const piece of list(content['parts']))
    if (typeof piece === 'object') parts.push(...(await readPiece(record(piece), files)))
  return { parts, result: { name: name || 'tool', output } }
}

/** Attaches results to their calls. A result without a call above it becomes its own call. */
function attachResults(messages: (ForeignMessage & Pick<ParsedMessage, 'result'>)[]): void {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const given = new Set<string>()
  for (const message of messages) {
    const { result } = message
    delete message.result
    if (result === undefined) continue
    const above = byId.get(message.parentId ?? '')
    const call = above?.parts.findLast((part) => part.type === 'dynamic-tool')
    if (call?.state === 'output-available' && !given.has(call.toolCallId)) {
      given.add(call.toolCallId)
      Object.assign(call, { output: result.output.slice(0, 200_000) })
    } else if (result.output.trim() !== '') {
      message.parts.unshift(callPart({ id: message.id, name: result.name, input: {}, output: result.output }))
    }
  }
}

function plainParts(content: Loose): string {
  return list(content['parts'])
    .filter((piece) => typeof piece === 'string')
    .join('\n')
}

function callInput(code: string): unknown {
  try {
    const value: unknown = JSON.parse(code)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Code, not JSON arguments.
  }
  return { code }
}

function fenced(code: string, language: string): string {
  if (code.trim() === '') return ''
  let longest = 2
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language === 'unknown' ? '' : language}\n${code}\n${fence}`
}
