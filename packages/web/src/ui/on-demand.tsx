import { cloneElement, Suspense, useState } from 'react'
import type { ComponentProps, ReactElement, ReactNode } from 'react'

export interface OnDemandProps {
  button: ReactElement<ComponentProps<'button'>>
  /** What opens, around the button; `onClosed` is to be called when it is over. */
  children: (button: ReactElement<ComponentProps<'button'>>, onClosed: () => void) => ReactNode
}

/** A button whose menu is made when it is wanted: messages that scroll by must cost little. */
export function OnDemand({ button, children }: OnDemandProps) {
  const [state, setState] = useState<'new' | 'open' | 'closed'>('new')
  if (state === 'open') return <Suspense fallback={button}>{children(button, () => setState('closed'))}</Suspense>
  return cloneElement(button, {
    'aria-haspopup': button.props['aria-haspopup'] ?? 'dialog',
    'aria-expanded': false,
    onClick: () => setState('open'),
    ...(state === 'closed' && { ref: focusIfLost }),
  })
}

/** The button that had the focus is another one now; who has gone elsewhere stays there. */
function focusIfLost(button: HTMLElement | null): void {
  if (document.activeElement === null || document.activeElement === document.body) button?.focus()
}
