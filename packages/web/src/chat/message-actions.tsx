import { useDeferredValue } from 'react'
import type { ReactNode } from 'react'

/** The row of buttons below a message: mostly unseen, and more work than its text. So it is drawn after all texts are. */
export function MessageActions({ children }: { children: ReactNode }) {
  const comesNow = useDeferredValue(true, false)
  return <div className="message-actions">{comesNow && children}</div>
}
