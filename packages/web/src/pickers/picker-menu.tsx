import { DropdownMenu } from 'radix-ui'
import { type ReactElement, type ReactNode, useRef } from 'react'
import { chooseFirstItem } from '../ui/menu.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

interface PickerMenuProps {
  trigger: ReactElement
  label: string
  className: string
  /** The choices. */
  children: ReactNode
  /** True until the choices are there. The first of them gets the focus then. */
  isLoading?: boolean
  /** The last item, which opens a section of the settings. */
  settings: { section: string; label: string; icon: ReactNode }
  /** Shown below everything. */
  hint?: ReactNode
  onClosed: () => void
}

/** The open menu of a picker in the composer. Not modal, for the same reason as `MenuPopup`. */
export function PickerMenu(props: PickerMenuProps) {
  const { trigger, label, className, children, isLoading = false, settings, hint, onClosed } = props
  const { app } = useWorkspace()
  const opensSettings = useRef(false)
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          ref={isLoading ? undefined : chooseFirstItem}
          className={`menu ${className}`}
          side="top"
          align="start"
          sideOffset={8}
          collisionPadding={10}
          aria-label={label}
          onCloseAutoFocus={() => {
            // Wait until the trigger has the focus, so that the dialog restores it there.
            if (opensSettings.current) setTimeout(() => app.openSettings(settings.section))
            setTimeout(onClosed)
          }}
        >
          {children}
          <DropdownMenu.Separator className="menu-line" />
          <DropdownMenu.Item className="menu-item" onSelect={() => void (opensSettings.current = true)}>
            {settings.icon}
            {settings.label}
          </DropdownMenu.Item>
          {hint}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
