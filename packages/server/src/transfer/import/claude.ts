import type { Part } from '@troupe/protocol'
import { buildSession, type ForeignMessage, type Importer, type ImportFiles } from './importer.ts'
import {
  blobPart,
  callPart,
  filePart,
  list,
  type Loose,
  reasoningPart,
  record,
  text,
  textPart,
  time,
} from './message-parts.ts'

/** Ids that mean "no parent". */
const rootParent = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/

/** `conversations.json` of a Claude export: `chat_messages` in order, or as a tree if they name parents. */
export const claude: Importer = {
  name: 'Claude',
  accepts: (entry) => Array.isArray(record(entry)['chat_messages']),
  async read(entry, files) {
    const conversation = record(entry)
    const id = text(conversation['uuid'])
    if (id === '') throw new Error('it has no uuid')
    const given = list(conversation['chat_messages']).map(record)
    const isTree = given.some((message) => text(message['parent_message_uuid']) !== '')
    const messages: ForeignMessage[] = []
    for (const [index, message] of given.entries()) {
      await files.breathe()
      const own = text(message['uuid']) || `${id}-${index}`
      const parent = isTree ? text(message['parent_message_uuid']) : (messages.at(-1)?.id ?? '')
      messages.push({
        id: own,
        parentId: parent === '' || rootParent.test(parent) ? null : parent,
        role: text(message['sender']) === 'human' || text(message['sender']) === 'user' ? 'user' : 'assistant',
        parts: await readParts(own, message, files),
        createdAt: time(message['created_at']),
      })
    }
    return buildSession(files, {
      prefix: 'claude-',
      id,
      title: text(conversation['name']),
      createdAt: time(conversation['created_at']),
      updatedAt: time(conversation['updated_at']),
      pinned: conversation['is_starred'] === true,
      current: text(conversation['current_leaf_message_uuid']),
      messages,
    })
  },
}

async function readParts(id: string, message: Loose, files: ImportFiles): Promise<Part[]> {
  const blocks = list(message['content']).map(record)
  const parts = blocks.length === 0 ? textPart(text(message['text'])) : readBlocks(id, blocks)
  for (const attachment of list(message['attachments']).map(record)) {
    const name = text(attachment['file_name'])
    const content = text(attachment['extracted_content'])
    parts.push(...(content === '' ? missingFileNote(name) : [filePart(name, content)]))
  }
  for (const file of list(message['files']).map(record)) {
    const name = text(file['file_name'])
    const found = await files.find(text(file['file_uuid']) || name)
    parts.push(
      ...(found === undefined ? missingFileNote(name) : [await blobPart(files.blobs, found.bytes, name || found.name)]),
    )
  }
  return parts
}

function missingFileNote(name: string): Part[] {
  return textPart(`[${name || 'A file'} is not in the export.]`)
}

/** Calls and results are separate blocks. A result names its call or belongs to the next one. */
function readBlocks(id: string, blocks: Loose[]): Part[] {
  const parts: Part[] = []
  const results = blocks.filter((block) => block['type'] === 'tool_result')
  const byCall = Map.groupBy(results, (result) => text(result['tool_use_id']))
  const byName = Map.groupBy(byCall.get('') ?? [], (result) => text(result['name']))
  const resultOf = (call: Loose): Loose | undefined =>
    (text(call['id']) === '' ? undefined : byCall.get(text(call['id']))?.shift()) ??
    byName.get(text(call['name']))?.shift()
  for (const [index, block] of blocks.entries()) {
    if (block['type'] === 'text') parts.push(...textPart(text(block['text'])))
    else if (block['type'] === 'thinking') parts.push(...reasoningPart(text(block['thinking'])))
    else if (block['type'] === 'voice_note') parts.push(...textPart(text(block['text'])))
    else if (block['type'] === 'tool_use') {
      const result = resultOf(block)
      parts.push(
        callPart({
          id: `${id}-${index}`,
          name: text(block['name']),
          input: record(block['input']),
          output: result === undefined ? '' : resultText(result['content']),
          failed: result?.['is_error'] === true,
        }),
      )
    }
  }
  return parts
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map(
      (piece) =>
        text(record(piece)['text']) || [record(piece)['title'], record(piece)['url']].map(text).join(' ').trim(),
    )
    .filter((piece) => piece !== '')
    .join('\n')
}
