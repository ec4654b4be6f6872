import type { StoredMessage } from '@troupe/protocol'
import type { Server } from '@troupe/server'

/** Appears only in the last message of a filled session. */
export const lastWords = 'These are the last words.'

export async function fillSession({ store, workspace }: Server, sessionId: string, count: number): Promise<void> {
  await store.sessions.create({ id: sessionId, workspaceId: workspace.id, title: `${count} messages` })
  let parentMessageId: string | null = null
  for (let index = 0; index < count; index++) {
    const isAnswer = index % 2 === 1
    const text: string = isAnswer ? answerText(index) : `Question ${index}: what comes after ${index - 1}?`
    const message: StoredMessage = {
      id: `${sessionId}-${index}`,
      parentMessageId,
      role: isAnswer ? 'assistant' : 'user',
      parts: [{ type: 'text', text: index === count - 1 ? `${text}\n\n${lastWords}` : text }],
      createdAt: index + 1,
    }
    await store.messages.add({ sessionId }, message)
    parentMessageId = message.id
  }
}

function answerText(index: number): string {
  const sentence = `Answer ${index} says **something** about \`value${index}\` and [where it is](https://example.org/${index}). `
  const shapes = [
    sentence.repeat(3),
    `## Part ${index}\n\n${sentence}\n\n- one\n- two\n- three *of them*\n\n${sentence}`,
    `${sentence}\n\n\`\`\`ts\nconst value${index} = ${index}\nexport function next(): number {\n  return value${index} + 1\n}\n\`\`\`\n\n${sentence}`,
    `${sentence}\n\n| name | value |\n|---|---|\n| a | ${index} |\n| b | ${index + 1} |\n\n> ${sentence}`,
  ]
  return shapes[Math.floor(index / 2) % shapes.length] as string
}
