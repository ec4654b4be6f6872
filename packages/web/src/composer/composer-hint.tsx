import { useSession } from '../chat/session-context.ts'
import { isWaiting } from '../chat/session-state.ts'
import { t } from '../texts/t.ts'
import { formatCount } from '../ui/format.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { steerKey } from './steer-key.ts'

/** From so many letters on it is worth knowing how much a message takes. */
const longDraft = 1000

/** What the keys do just now, in a few words; buttons and labels say the same to those who do not see it. */
export function ComposerHint() {
  const draft = useSession((state) => state.draft)
  const running = useSession((state) => state.run !== null)
  const waiting = useSession((state) => isWaiting(state.run))
  const phase = useSession((state) => state.phase)
  return (
    <span className="composer-hint" aria-hidden>
      {text()}
    </span>
  )

  function text(): string {
    if (phase === 'missing') return t.composer.sendsAsNew
    if (running && draft.trim() !== '') return t.composer.keysDuringRun(steerKey())
    if (waiting) return t.composer.waitingAbove
    if (running) return t.composer.escStops
    if (draft.length >= longDraft) return t.composer.tokens(formatCount(estimateTokens(draft)))
    return draft === '' && phase === 'new' ? t.composer.hintPicks : ''
  }
}
