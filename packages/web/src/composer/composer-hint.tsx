import { chatStatus } from '../chat/hooks/chat-status.ts'
import { useSession } from '../chat/session-context.ts'
import { keyNames } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { formatCount } from '../ui/format.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** From so many letters on it is worth knowing how much a message takes. */
const longDraft = 1000

/** What the keys do just now, in a few words; buttons and labels say the same to those who do not see it. */
export function ComposerHint() {
  const draft = useSession((state) => state.draft)
  const status = useSession(chatStatus)
  return (
    <span className="composer-hint" aria-hidden>
      {text()}
    </span>
  )

  function text(): string {
    if (status === 'missing') return t.composer.sendsAsNew
    const running = ['submitted', 'streaming', 'waiting'].includes(status)
    if (status === 'waiting' && draft.trim() === '') return t.composer.waitingAbove
    // That Enter queues stands in the field until something does.
    if (running) return t.composer.steerKey(keyNames('Mod+Enter').join(' '))
    if (draft.length >= longDraft) return t.composer.tokens(formatCount(estimateTokens(draft)))
    return draft === '' && status === 'new' ? t.composer.hintPicks : ''
  }
}
