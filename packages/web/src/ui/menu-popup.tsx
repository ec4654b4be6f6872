import { ChevronRight } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Fragment, useContext, useRef } from 'react'
import { DialogContext } from './button.tsx'
import { chooseFirstItem, type MenuItem, type MenuProps } from './menu.tsx'

/** A menu that is open at once. Not modal, because a modal menu injects a style element, which our content security policy forbids. */
export function MenuPopup({ trigger, items, align = 'start', onClosed: onOver }: MenuProps) {
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
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={around}>
        <DropdownMenu.Content
          ref={chooseFirstItem}
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
