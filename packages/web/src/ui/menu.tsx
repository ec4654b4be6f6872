import { ChevronRight } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { cloneElement, type ComponentProps, type ReactElement, type ReactNode, Suspense, useRef, useState } from 'react'
import './menu.css'

export interface MenuItem {
  label: string
  icon: ReactNode
  danger?: boolean
  /** Further items that open beside it; then choosing it does nothing else. */
  items?: MenuItem[]
  onSelect?: () => void
}

interface MenuProps {
  trigger: ReactNode
  items: MenuItem[]
  /** From the beginning. */
  isOpen?: boolean
  onClosed?: () => void
}

/** Not modal: a modal one writes a style element, which the page's content policy forbids. */
export function Menu({ trigger, items, isOpen = false, onClosed: onOver }: MenuProps) {
  const chosen = useRef<() => void>(undefined)
  // What was chosen happens after the focus has gone back to the trigger, so that it can take the focus for good.
  const onClosed = () => {
    if (chosen.current !== undefined) setTimeout(chosen.current)
    chosen.current = undefined
    // After the focus has gone back.
    if (onOver !== undefined) setTimeout(onOver)
  }
  return (
    <DropdownMenu.Root modal={false} defaultOpen={isOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={onClosed}
        >
          <MenuItems items={items} onChoose={(onSelect) => void (chosen.current = onSelect)} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function MenuItems({ items, onChoose }: { items: MenuItem[]; onChoose: (onSelect: MenuItem['onSelect']) => void }) {
  return items.map(({ label, icon, danger = false, items: more, onSelect }, index) =>
    more === undefined ? (
      <DropdownMenu.Item
        key={index}
        className={danger ? 'menu-item menu-danger' : 'menu-item'}
        onSelect={() => onChoose(onSelect)}
      >
        {icon}
        {label}
      </DropdownMenu.Item>
    ) : (
      <DropdownMenu.Sub key={index}>
        <DropdownMenu.SubTrigger className="menu-item">
          {icon}
          {label}
          <ChevronRight aria-hidden className="menu-more" />
        </DropdownMenu.SubTrigger>
        <DropdownMenu.Portal>
          <DropdownMenu.SubContent className="menu menu-sub" sideOffset={4} collisionPadding={8}>
            <MenuItems items={more} onChoose={onChoose} />
          </DropdownMenu.SubContent>
        </DropdownMenu.Portal>
      </DropdownMenu.Sub>
    ),
  )
}

interface OnDemandProps {
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
