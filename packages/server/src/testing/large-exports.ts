export const largeExports: Record<string, (count: number) => object> = {
  ChatGPT: (count) => ({
    conversation_id: 'long',
    title: 'Long',
    create_time: 1_700_000_000,
    mapping: Object.fromEntries(
      range(count).map((i) => [
        `m${i}`,
        {
          parent: i === 0 ? null : `m${i - 1}`,
          message: {
            author: { role: roleOf(i) },
            create_time: 1_700_000_000 + i,
            content: { content_type: 'text', parts: [textOf(i)] },
          },
        },
      ]),
    ),
  }),
  Claude: (count) => ({
    uuid: 'long',
    name: 'Long',
    chat_messages: range(count).map((i) => ({
      uuid: `m${i}`,
      sender: i % 2 === 0 ? 'human' : 'assistant',
      text: textOf(i),
    })),
  }),
  LibreChat: (count) => {
    const messages = range(count).map((i) => ({
      messageId: `m${i}`,
      isCreatedByUser: i % 2 === 0,
      text: textOf(i),
      children: [] as object[],
    }))
    for (const [i, message] of messages.entries()) messages[i - 1]?.children.push(message)
    return { conversationId: 'long', title: 'Long', recursive: true, messages: [messages[0]] }
  },
  'Open WebUI': (count) => ({
    id: 'long',
    title: 'Long',
    chat: {
      history: {
        messages: Object.fromEntries(
          range(count).map((i) => [
            `m${i}`,
            { parentId: i === 0 ? null : `m${i - 1}`, role: roleOf(i), content: textOf(i) },
          ]),
        ),
      },
    },
  }),
  Troupe: (count) => ({
    format: 'troupe-session',
    version: 1,
    session: { id: 'long', title: 'Long' },
    messages: range(count).map((i) => ({
      id: `m${i}`,
      parentMessageId: i === 0 ? null : `m${i - 1}`,
      role: roleOf(i),
      parts: [{ type: 'text', text: textOf(i) }],
      createdAt: 1_700_000_000_000 + i,
    })),
  }),
}

/** Serializes without recursion, since a chat may be nested as deep as it is long. */
export function jsonOf(value: object, count: number): string {
  if (count < 2000) return JSON.stringify(value)
  const ends: string[] = []
  const texts: string[] = []
  const { messages, ...rest } = value as { messages?: { children?: object[] }[] }
  if (messages?.[0]?.children === undefined) return JSON.stringify(value)
  texts.push(`${JSON.stringify(rest).slice(0, -1)},"messages":[`)
  for (let next = messages[0]; next !== undefined; next = next.children?.[0] as typeof next) {
    const { children: _, ...own } = next
    texts.push(`${JSON.stringify(own).slice(0, -1)},"children":[`)
    ends.push(']}')
  }
  return `${texts.join('')}${ends.join('')}]}`
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

function roleOf(i: number): string {
  return i % 2 === 0 ? 'user' : 'assistant'
}

function textOf(i: number): string {
  return `Message ${i} says that **the** quick brown fox jumps over the lazy dog, again and again.`
}
