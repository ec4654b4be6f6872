import type { DataParts } from '@troupe/core/protocol'
import { AskContent, AskFrame } from './ask-frame.tsx'
import { OpenAsk } from './open-ask.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { openAsks } from './session-state.ts'
import { hasCard } from './tool-card-registry.ts'

/** What a tool asks the person. Once it is over, the card of the tool shows what came of it, where it has one. */
export function AskPart({ ask, live }: { ask: DataParts['ask']; live: boolean }) {
  const store = useSessionStore()
  const open = useSession((state) => live && openAsks(state.run?.answer ?? null).includes(ask.id))
  const sending = useSession((state) => state.answering.includes(ask.id))
  if (open) return <OpenAsk ask={ask} sending={sending} answer={(given) => void store.answer(ask.id, given)} />
  if (hasCard(ask.toolName)) return null
  return (
    <AskFrame title={ask.title}>
      <AskContent content={ask.content} />
    </AskFrame>
  )
}
