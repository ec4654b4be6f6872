import { ChevronRight } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import {
  cloneElement,
  type ComponentProps,
  Fragment,
  type ReactElement,
  type ReactNode,
  Suspense,
  useContext,
  useRef,
  useState,
} from 'react'
import { DialogContext } from './button.tsx'
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

interface MenuProps {
  trigger: ReactNode
  items: MenuItem[]
  isOpen?: boolean
  align?: 'start' | 'end'
  onClosed?: () => void
}

/** Not modal, because a modal menu injects a style element, which our content security policy forbids. */
export function Menu({ trigger, items, isOpen = false, align = 'start', onClosed: onOver }: MenuProps) {
  const chosen = useRef<() => void>(undefined)
  // A dialog covers everything outside it.
  const around = useContext(DialogContext)
  // Run the selected action after the trigger regains focus, so that the action can keep the focus.
  const onClosed = () => {
    if (chosen.current !== undefined) setTimeout(chosen.current)
    chosen.current = undefined
    // Wait until the focus has moved back.
    if (onOver !== undefined) setTimeout(onOver)
  }
  return (
    <DropdownMenu.Root modal={false} defaultOpen={isOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={around}>
        <DropdownMenu.Content
          className="menu"
          align={align}
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
  return items.map((item, index) => (
    <Fragment key={index}>
      {item.startsGroup === true && index > 0 && <DropdownMenu.Separator className="menu-line" />}
      <MenuRow item={item} onChoose={onChoose} />
    </Fragment>
  ))
}

function MenuRow({ item, onChoose }: { item: MenuItem; onChoose: (onSelect: MenuItem['onSelect']) => void }) {
  const { label, icon, danger = false, hint, items: more, onSelect } = item
  if (more === undefined) {
    return (
      <DropdownMenu.Item className={danger ? 'menu-item menu-danger' : 'menu-item'} onSelect={() => onChoose(onSelect)}>
        {icon}
        {label}
        {hint !== undefined && <span className="menu-hint">{hint}</span>}
      </DropdownMenu.Item>
    )
  }
  return (
    <DropdownMenu.Sub>
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
  )
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
  return cloneElement(button, {
    'aria-haspopup': button.props['aria-haspopup'] ?? 'dialog',
    'aria-expanded': false,
    onClick: () => setState('open'),
    ...(state === 'closed' && { ref: focusIfLost }),
  })
}

/** The button was re-created, so restore its focus. Leaves a focus elsewhere alone. */
function focusIfLost(button: HTMLElement | null): void {
  if (document.activeElement === null || document.activeElement === document.body) button?.focus()
}
