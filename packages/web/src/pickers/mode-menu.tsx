import type { Mode } from '@troupe/core'
import { Check, ScrollText } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactElement } from 'react'
import { keyText } from '../platform/keyboard.ts'
import { t } from '../texts/t.ts'
import { formatElements } from '../ui/elements.tsx'
import { availableModes, currentMode } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { modeIcons } from './mode-picker.tsx'
import { PickerMenu } from './picker-menu.tsx'

export function ModeMenu({ trigger, onClosed }: { trigger: ReactElement; onClosed: () => void }) {
  const { app } = useWorkspace()
  const mode = useApp(currentMode)
  const bypass = useApp((state) => state.permissions?.bypass === true)
  const sandbox = useApp((state) => state.permissions?.sandbox.available === true)
  return (
    <PickerMenu
      trigger={trigger}
      label={t.modes.choose}
      className="mode-menu"
      settings={{ section: 'rules', label: t.modes.rules, icon: <ScrollText aria-hidden /> }}
      hint={<p className="mode-key">{formatElements(t.modes.key, { keys: <kbd>{keyText('Alt+M')}</kbd> })}</p>}
      onClosed={onClosed}
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
    </PickerMenu>
  )
}
