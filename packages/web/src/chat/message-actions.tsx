import { createContext, useContext, useDeferredValue } from 'react'
import type { ReactNode } from 'react'

/** False until the end of a list is on the screen. */
export const TailRenderedContext = createContext(true)

/** The row of buttons below a message: mostly unseen, and more work than its text. So it is drawn after all texts are. */
export function MessageActions({ children }: { children: ReactNode }) {
  const comesNow = useDeferredValue(useContext(TailRenderedContext), false)
  return <div className="message-actions">{comesNow && children}</div>
}
