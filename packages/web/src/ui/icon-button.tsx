import { Tooltip } from 'radix-ui'
import { useContext } from 'react'
import type { ComponentProps, FocusEvent, ReactNode } from 'react'
import { requestClose } from './ask-to-close.ts'
import { isKeyboardInput } from './by-key.ts'
import { DialogContext } from './dialog-element.ts'
import './button.css'

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** What it does, for a screen reader and the tooltip. */
  label: string
  shortcut?: string
  children: ReactNode
}

/** The focus that comes back after a tap or a click, from a list or dialog that closes, asks for no explanation. */
function skipPointerFocus(event: FocusEvent): void {
  if (!isKeyboardInput()) event.preventDefault()
}

export function IconButton({ label, shortcut, children, className = '', ...rest }: IconButtonProps) {
  const around = useContext(DialogContext)
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild onFocus={skipPointerFocus}>
        <button type="button" aria-label={label} className={`icon-button ${className}`} {...rest}>
          {children}
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal container={around}>
        <Tooltip.Content
          className="tooltip"
          sideOffset={6}
          collisionPadding={8}
          onEscapeKeyDown={({ target }) => {
            // It takes the key for itself; who presses it on a button of a dialog wants the dialog closed.
            if (target instanceof Element && target.matches('.icon-button')) requestClose(around)
          }}
        >
          {label}
          {shortcut !== undefined && <kbd>{shortcut}</kbd>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
