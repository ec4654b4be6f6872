import type { Part } from '@troupe/protocol'
import { buildSession, type ForeignMessage, type Importer, type ImportFiles } from './importer.ts'
import { callPart, list, type Loose, reasoningPart, record, text, textPart, time } from './message-parts.ts'

const rootParent = '00000000-0000-0000-0000-000000000000'

/** LibreChat's JSON export: nested messages (`children`), or a flat list with parent ids. */
export const librechat: Importer = {
  name: 'LibreChat',
  accepts(entry) {
    const { conversationId, messages, messagesTree } = record(entry)
    return text(conversationId) !== '' && (Array.isArray(messages) || Array.isArray(messagesTree))
  },
  async read(entry, files) {
    const conversation = record(entry)
    const given = list(conversation['messages']).length > 0 ? conversation['messages'] : conversation['messagesTree']
    const all = await flatten(list(given).map(record), files)
    const isTree = conversation['recursive'] === true || all.some(({ parentId }) => parentId !== null)
    const messages: ForeignMessage[] = []
    for (const [index, { message, parentId }] of all.entries()) {
      await files.breathe()
      const id = text(message['messageId']) || `message-${index}`
      const model = text(message['model'])
      const role = isUser(message) ? 'user' : 'assistant'
      messages.push({
        id,
        parentId: isTree ? parentId : (messages.at(-1)?.id ?? null),
        role,
        parts: readParts(id, message),
        createdAt: time(message['createdAt']),
        metadata: role === 'assistant' && model !== '' ? { model: modelName(message, model) } : undefined,
      })
    }
    const { createdAt } = messages[0] ?? {}
    return buildSession(files, {
      prefix: 'librechat-',
      id: text(conversation['conversationId']),
      title: text(conversation['title']),
      createdAt: time(conversation['createdAt']) ?? createdAt,
      updatedAt: time(conversation['updatedAt']),
      archived: conversation['isArchived'] === true,
      messages,
    })
  },
}

function isUser(message: Loose): boolean {
  const given = message['isCreatedByUser']
  return typeof given === 'boolean' ? given : text(message['sender']).toLowerCase() === 'user'
}

/** Avoids recursion, since a chat of 10,000 messages is that deep. */
async function flatten(
  given: Loose[],
  { breathe }: ImportFiles,
): Promise<{ message: Loose; parentId: string | null }[]> {
  const found: { message: Loose; parentId: string | null }[] = []
  const waiting = given.map((message) => ({ message, inside: null as string | null })).toReversed()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await breathe()
    const { message, inside } = next
    const named = text(message['parentMessageId'])
    found.push({ message, parentId: inside ?? (named === '' || named === rootParent ? null : named) })
    const below = list(message['children']).map(record)
    const own = text(message['messageId'])
    for (const child of below.toReversed()) waiting.push({ message: child, inside: own === '' ? null : own })
  }
  return found
}

function modelName(message: Loose, model: string): string {
  const endpoint = text(message['endpoint']).toLowerCase()
  return endpoint === '' || model.includes('/') ? model : `${endpoint}/${model}`
}

function readParts(id: string, message: Loose): Part[] {
  const blocks = list(message['content']).map(record)
  if (blocks.length > 0) return blocks.flatMap((block, index) => readBlock(`${id}-${index}`, block))
  // Older versions wrote the reasoning into the text.
  const whole = text(message['text'])
  const thought = /^\s*:::thinking\n([\s\S]*?)\n:::\s*/.exec(whole)
  if (thought === null) return textPart(whole)
  return [...reasoningPart(thought[1] ?? ''), ...textPart(whole.slice(thought[0].length))]
}

function readBlock(id: string, block: Loose): Part[] {
  const kind = text(block['type'])
  if (kind === 'text') return textPart(text(block['text']) || text(record(block['text'])['value']))
  if (kind === 'think') return reasoningPart(text(block['think']) || text(record(block['think'])['value']))
  if (kind === 'error') return textPart(text(block['error']) || text(record(block['error'])['message']))
  if (kind !== 'tool_call') return []
  const call = record(block['tool_call'])
  const called = record(call['function'])
  return [
    callPart({
      id: text(call['id']) || id,
      name: text(call['name']) || text(called['name']),
      input: callInput(call['args'] ?? called['arguments']),
      output: text(call['output']) || text(called['output']),
    }),
  ]
}

function callInput(given: unknown): unknown {
  if (typeof given !== 'string') return record(given)
  try {
    return record(JSON.parse(given))
  } catch {
    return { text: given }
  }
}
