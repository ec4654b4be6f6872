import { DropdownMenu } from 'radix-ui'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import './menu.css'

export interface MenuItem {
  label: string
  icon: ReactNode
  danger?: boolean
  onSelect: () => void
}

/** Not modal: a modal one writes a style element, which the page's content policy forbids. */
export function Menu({ trigger, items }: { trigger: ReactNode; items: MenuItem[] }) {
  const chosen = useRef<() => void>(undefined)
  // What was chosen happens after the focus has gone back to the trigger, so that it can take the focus for good.
  const onClosed = () => {
    if (chosen.current !== undefined) setTimeout(chosen.current)
    chosen.current = undefined
  }
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={onClosed}
        >
          {items.map(({ label, icon, danger = false, onSelect }) => (
            <DropdownMenu.Item
              key={label}
              className={danger ? 'menu-item menu-danger' : 'menu-item'}
              onSelect={() => void (chosen.current = onSelect)}
            >
              {icon}
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
