import { newId } from '@troupe/protocol'
import type { Server } from '@troupe/server'
import type { Page } from 'playwright-core'

interface StoredChat {
  title: string
  /** Messages from the user and the model in turn. */
  texts: readonly string[]
}

/** Stores a finished chat, which costs less than to have it in the page. Returns the ID of the chat. */
export async function storeChat({ store, workspace }: Server, { title, texts }: StoredChat): Promise<string> {
  const sessionId = newId('s')
  await store.sessions.create({ id: sessionId, workspaceId: workspace.id, title })
  let parentMessageId: string | null = null
  for (const [index, text] of texts.entries()) {
    const role: 'user' | 'assistant' = index % 2 === 0 ? 'user' : 'assistant'
    const message = { id: newId('m'), role, parts: [{ type: 'text' as const, text }], createdAt: Date.now() }
    await store.messages.add({ sessionId }, { ...message, parentMessageId })
    parentMessageId = message.id
  }
  return sessionId
}

/** Shows a stored chat in the page. */
export async function showChat(page: Page, sessionId: string): Promise<void> {
  await page.evaluate((id) => void (window.location.hash = `s=${id}`), sessionId)
  await page.getByRole('article', { name: 'You' }).first().waitFor()
}
