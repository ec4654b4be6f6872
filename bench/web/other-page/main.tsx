import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport } from 'ai'
import type { UIMessage } from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Streamdown } from 'streamdown'

/**
 * A page built from standard parts: `useChat` for the conversation, streamdown for the text, every message in the
 * document. The bench sends through `window.send` and waits for `data-status`.
 */
function Conversation({ id, stored }: { id: string; stored: UIMessage[] }) {
  const [transport] = useState(() => new DefaultChatTransport({ api: '/ai/chat', headers }))
  const { messages, sendMessage, status } = useChat({ id, messages: stored, transport })
  Object.assign(window, { send: (text: string) => void sendMessage({ text }) })
  return (
    <main data-status={status}>
      {messages.map((message) => (
        <article key={message.id}>
          {message.parts.map((part, index) =>
            part.type === 'text' ? <Streamdown key={index}>{part.text}</Streamdown> : null,
          )}
        </article>
      ))}
    </main>
  )
}

const fields = new URLSearchParams(window.location.hash.slice(1))
const id = fields.get('s') ?? ''
const opened = await fetch('/ai/auth', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ key: fields.get('k') }),
})
const { credential } = (await opened.json()) as { credential: string }
const headers = { authorization: `Page ${credential}` }
createRoot(document.getElementById('root') as HTMLElement).render(
  <Conversation id={id} stored={await wholeBranch(id)} />,
)

async function wholeBranch(sessionId: string): Promise<UIMessage[]> {
  const messages: UIMessage[] = []
  for (let before: string | null = ''; before !== null;) {
    const query: string = before === '' ? '' : `&before=${before}`
    const answer = await fetch(`/ai/sessions/${sessionId}/messages?limit=500${query}`, { headers })
    const found = (await answer.json()) as { messages: UIMessage[]; page: { before: string | null } }
    messages.unshift(...found.messages)
    before = found.page.before
  }
  return messages
}
