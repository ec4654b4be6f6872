import type { Part } from '@troupe/core'
import { buildSession } from './build-session.ts'
import type { ForeignMessage, ImportFiles, Importer } from './importer.ts'
import { list, record, text, time, type Loose } from './loose.ts'
import { splitDetails } from './open-webui-details.ts'
import { blobPart, dataBytes, filePart, instructionsPart, isWebAddress, textPart } from './parts.ts'

/** The chat export of Open WebUI: `chat.history.messages` by id, with their parents. */
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
        ...(role === 'assistant' && {
          metadata: {
            ...(model !== '' && { model }),
            ...(failure !== '' && { error: { name: 'Error', message: failure } }),
          },
        }),
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

/** Older exports have the chat itself, without what is around it. */
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

/** An image lies in the export itself, or on the other server. */
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
