import { WifiOff } from 'lucide-react'
import { useState } from 'react'
import { t } from '../texts/t.ts'
import { useSession, useSessionStore } from './session-context.ts'
import { isRunOnBranch } from './session-state.ts'
import { formatMoment } from '../ui/format.ts'
import { useApp } from '../workspace.ts'

/** Says when the server or the stream is away, when the session is gone, and when an answer is being written in a branch that is not in sight. */
export function ConnectionBar() {
  const { showBranch } = useSessionStore()
  const isAway = useApp((state) => state.isAway)
  const keptAt = useApp((state) => state.keptAt)
  const [openedAt] = useState(Date.now)
  const gone = useSession((state) => state.phase === 'missing' && state.messages.length > 0)
  const lost = useSession((state) => state.connection === 'lost' && state.run !== null)
  const elsewhere = useSession((state) => state.run !== null && !isRunOnBranch(state))
  const parent = useSession((state) => state.run?.parentMessageId ?? null)
  if (isAway) {
    return (
      <output className="connection">
        <WifiOff aria-hidden />
        {keptAt === null ? t.chat.serverAway : t.chat.serverAwayKept(formatMoment(keptAt, openedAt))}
      </output>
    )
  }
  if (gone) return <output className="connection">{t.chat.deletedElsewhere}</output>
  if (lost) {
    return (
      <output className="connection">
        <WifiOff aria-hidden />
        {t.chat.connectionLost}
      </output>
    )
  }
  if (!elsewhere || parent === null) return null
  return (
    <output className="connection">
      {t.chat.answerElsewhere}
      <button type="button" className="elsewhere" onClick={() => void showBranch(parent)}>
        {t.chat.showIt}
      </button>
    </output>
  )
}
