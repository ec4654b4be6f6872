import { Tooltip } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import './button.css'

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** What it does, for a screen reader and the tooltip. */
  label: string
  shortcut?: string
  children: ReactNode
}

export function IconButton({ label, shortcut, children, className = '', ...rest }: IconButtonProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>
        <button type="button" aria-label={label} className={`icon-button ${className}`} {...rest}>
          {children}
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tooltip" sideOffset={6} collisionPadding={8}>
          {label}
          {shortcut !== undefined && <kbd>{shortcut}</kbd>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
