import type { Mode } from '@troupe/core'
import { Check, ScrollText } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactElement, useRef } from 'react'
import { keyText } from '../platform/keyboard.ts'
import { t } from '../texts/t.ts'
import { formatElements } from '../ui/elements.tsx'
import { chooseFirstItem } from '../ui/menu.tsx'
import { availableModes, currentMode } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { modeIcons } from './mode-picker.tsx'

export function ModeMenu({ trigger, onClosed }: { trigger: ReactElement; onClosed: () => void }) {
  const { app } = useWorkspace()
  const mode = useApp(currentMode)
  const bypass = useApp((state) => state.permissions?.bypass === true)
  const sandbox = useApp((state) => state.permissions?.sandbox.available === true)
  const opensRules = useRef(false)
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          ref={chooseFirstItem}
          className="menu mode-menu"
          side="top"
          align="start"
          sideOffset={8}
          collisionPadding={10}
          aria-label={t.modes.choose}
          onCloseAutoFocus={() => {
            // Wait until the trigger has the focus, so that the dialog restores it there.
            if (opensRules.current) setTimeout(() => app.openSettings('rules'))
            setTimeout(onClosed)
          }}
        >
          <DropdownMenu.RadioGroup value={mode} onValueChange={(chosen) => void app.chooseMode(chosen as Mode)}>
            {availableModes({ bypass }).map((one) => (
              <DropdownMenu.RadioItem key={one} value={one} className="menu-item mode-item" data-mode={one}>
                {modeIcons[one]}
                <span className="mode-name">
                  {t.modes.each[one].name}
                  <DropdownMenu.ItemIndicator>
                    <Check aria-hidden />
                  </DropdownMenu.ItemIndicator>
                </span>
                <span className="mode-about">{t.modes.each[one].about(sandbox)}</span>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="mode-line" />
          <DropdownMenu.Item className="menu-item" onSelect={() => void (opensRules.current = true)}>
            <ScrollText aria-hidden />
            {t.modes.rules}
          </DropdownMenu.Item>
          <p className="mode-key">{formatElements(t.modes.key, { keys: <kbd>{keyText('Alt+M')}</kbd> })}</p>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
