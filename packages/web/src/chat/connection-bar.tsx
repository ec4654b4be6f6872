import { WifiOff } from 'lucide-react'
import { useSession, useSessionStore } from './session-context.ts'
import { isRunInSight } from './session-state.ts'

/** Says when the stream is broken, and when an answer is being written in a branch that is not in sight. */
export function ConnectionBar() {
  const { showBranch } = useSessionStore()
  const lost = useSession((state) => state.connection === 'lost' && state.run !== null)
  const elsewhere = useSession((state) => state.run !== null && !isRunInSight(state))
  const parent = useSession((state) => state.run?.parentMessageId ?? null)
  if (lost) {
    return (
      <output className="connection">
        <WifiOff aria-hidden />
        Connection lost. The run goes on without this page; looking for it again …
      </output>
    )
  }
  if (!elsewhere || parent === null) return null
  return (
    <output className="connection">
      An answer is being written in another branch.
      <button type="button" className="elsewhere" onClick={() => void showBranch(parent)}>
        Show it
      </button>
    </output>
  )
}
