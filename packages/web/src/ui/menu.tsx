import {
  cloneElement,
  type ComponentProps,
  type KeyboardEvent,
  type MouseEvent,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from 'react'
import './menu.css'

export interface MenuItem {
  label: string
  icon: ReactNode
  danger?: boolean
  /** Shown at the end of the row: a shortcut or a number. */
  hint?: string | undefined
  /** Draws a line above, unless it is the first item. */
  startsGroup?: boolean
  /** Submenu items. `onSelect` is ignored then. */
  items?: MenuItem[]
  onSelect?: () => void
}

export interface MenuProps {
  trigger: ReactElement<ComponentProps<'button'>>
  items: MenuItem[]
  align?: 'start' | 'end'
  onClosed?: () => void
}

const loadPopup = () => import('./menu-popup.tsx')
const MenuPopup = lazy(() => loadPopup().then((loaded) => ({ default: loaded.MenuPopup })))

/** Loads the menus with the first sign of use, so that the first one opens at once. Call once per page. */
export function loadMenusOnUse(...loads: (() => Promise<unknown>)[]): void {
  const uses = ['pointermove', 'pointerdown', 'keydown'] as const
  const load = (): void => {
    for (const use of uses) window.removeEventListener(use, load)
    // A failure shows when the menu is opened.
    for (const one of [loadPopup, ...loads]) one().catch(() => undefined)
  }
  for (const use of uses) window.addEventListener(use, load, { passive: true })
}

/** A button with a menu, which is loaded and created on first use. */
export function Menu({ trigger, onClosed: onOver, ...rest }: MenuProps) {
  return (
    <OnDemand button={cloneElement(trigger, { 'aria-haspopup': 'menu' })}>
      {(button, onClosed) => (
        <MenuPopup
          trigger={button}
          {...rest}
          onClosed={() => {
            onClosed()
            onOver?.()
          }}
        />
      )}
    </OnDemand>
  )
}

let isOpenedByKey = false

/** Ref callback of a menu. A key opens it with its first item chosen, which the menu itself was created too late for. */
export function chooseFirstItem(menu: HTMLElement | null): void {
  if (menu === null || !isOpenedByKey) return
  // A ref is called again when the menu is drawn again.
  isOpenedByKey = false
  setTimeout(() => {
    // An item may have the focus already, also one of a submenu.
    const inside = document.activeElement?.closest('[role=menu]') ?? menu
    const hasChoice = inside !== document.activeElement && inside.contains(document.activeElement)
    if (!hasChoice) menu.querySelector<HTMLElement>('[role^=menuitem]')?.focus()
  })
}

interface OnDemandProps {
  button: ReactElement<ComponentProps<'button'>>
  /** Renders the popup around the button. Call `onClosed` when it closes. */
  children: (button: ReactElement<ComponentProps<'button'>>, onClosed: () => void) => ReactNode
}

/** Button whose menu is created on first use, to keep scrolling messages cheap. */
export function OnDemand({ button, children }: OnDemandProps) {
  const [state, setState] = useState<'new' | 'open' | 'closed'>('new')
  if (state === 'open') return <Suspense fallback={button}>{children(button, () => setState('closed'))}</Suspense>
  const open = (byKey: boolean): void => {
    isOpenedByKey = byKey
    setState('open')
  }
  const hasMenu = button.props['aria-haspopup'] === 'menu'
  return cloneElement(button, {
    'aria-haspopup': button.props['aria-haspopup'] ?? 'dialog',
    'aria-expanded': false,
    onClick: ({ detail }: MouseEvent) => open(detail === 0),
    ...(hasMenu && {
      onKeyDown: (event: KeyboardEvent<HTMLButtonElement>) => {
        button.props.onKeyDown?.(event)
        if (event.key !== 'ArrowDown') return
        event.preventDefault()
        open(true)
      },
    }),
    ...(state === 'closed' && { ref: focusIfLost }),
  })
}

/** The button was re-created, so restore its focus. Leaves a focus elsewhere alone. */
function focusIfLost(button: HTMLElement | null): void {
  if (document.activeElement === null || document.activeElement === document.body) button?.focus()
}
