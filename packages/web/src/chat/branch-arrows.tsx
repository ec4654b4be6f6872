import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { SiblingPlace } from '@troupe/core'
import { t } from '../texts/t.ts'
import { expectFocus } from '../ui/expect-focus.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useSessionStore } from './session-context.ts'

/** Where a message stands among the ways the conversation went here: `2 / 3`. */
export function BranchArrows({ place }: { place: SiblingPlace | undefined }) {
  const { showBranch } = useSessionStore()
  if (place === undefined || place.total < 2) return null
  const show = (id: string, label: string) => {
    // The other message has its own: the same arrow, or where the way ends here the one back.
    expectFocus(() => {
      const arrows = [
        ...document.querySelectorAll(`[data-message="${CSS.escape(id)}"] .branches button:not(:disabled)`),
      ]
      return arrows.find((one) => one.getAttribute('aria-label') === label) ?? arrows[0]
    })
    void showBranch(id)
  }
  const arrow = (id: string | null, label: string, icon: React.ReactNode) => (
    <IconButton label={label} disabled={id === null} onClick={() => id !== null && show(id, label)}>
      {icon}
    </IconButton>
  )
  return (
    <div className="branches">
      {arrow(place.prev, t.chat.previousBranch, <ChevronLeft />)}
      <span className="branches-place">
        <span className="visually-hidden">{t.chat.branch} </span>
        {place.index} / {place.total}
      </span>
      {arrow(place.next, t.chat.nextBranch, <ChevronRight />)}
    </div>
  )
}
