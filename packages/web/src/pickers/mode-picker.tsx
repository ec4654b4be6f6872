import type { Mode } from '@troupe/core'
import { Check, FilePen, Hand, Map, ScrollText, ShieldOff } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { keyText } from '../platform/keyboard.ts'
import { notice } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { formatElements } from '../ui/elements.tsx'
import { availableModes, currentMode, nextMode } from '../workspace/app-state.ts'
import type { AppStore } from '../workspace/app-store.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './picker-trigger.css'
import './mode-picker.css'

/** Selects how much the current session may do without approval. */
export function ModePicker() {
  const { app } = useWorkspace()
  const mode = useApp(currentMode)
  const bypass = useApp((state) => state.permissions?.bypass === true)
  const sandbox = useApp((state) => state.permissions?.sandbox.available === true)
  const opensRules = useRef(false)
  const { name } = t.modes.each[mode]
  const offered = availableModes({ bypass })
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          className="picker-trigger mode-trigger"
          data-mode={mode}
          aria-label={t.modes.picked(name)}
          aria-keyshortcuts="Alt+M"
        >
          {modeIcons[mode]}
          <span className="mode-trigger-name">{name}</span>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            className="menu mode-menu"
            side="top"
            align="start"
            sideOffset={8}
            collisionPadding={10}
            aria-label={t.modes.choose}
            onCloseAutoFocus={() => {
              // Wait until the trigger has the focus, so that the dialog restores it there.
              if (opensRules.current) setTimeout(() => app.openSettings('rules'))
              opensRules.current = false
            }}
          >
            <DropdownMenu.RadioGroup value={mode} onValueChange={(chosen) => void app.chooseMode(chosen as Mode)}>
              {offered.map((one) => (
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
      <ModeAnnouncer mode={mode} sandbox={sandbox} />
    </>
  )
}

/** Announces mode changes to screen readers, but not the initial mode of a session. */
function ModeAnnouncer({ mode, sandbox }: { mode: Mode; sandbox: boolean }) {
  const known = useRef(mode)
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (known.current === mode) return
    known.current = mode
    const { name, about } = t.modes.each[mode]
    setSaid(`${t.modes.picked(name)}. ${about(sandbox)}`)
  }, [mode, sandbox])
  return (
    <output className="visually-hidden" aria-live="polite">
      {said}
    </output>
  )
}

const modeIcons: Record<Mode, ReactNode> = {
  default: <Hand aria-hidden />,
  'accept-edits': <FilePen aria-hidden />,
  plan: <Map aria-hidden />,
  bypass: <ShieldOff aria-hidden />,
}

/** From most to least restrictive. */
const byFreedom: readonly Mode[] = ['plan', 'default', 'accept-edits', 'bypass']

/** Shortcut handler. Shows a notice if the new mode is less restrictive. */
export function chooseNextMode(app: AppStore): void {
  const before = currentMode(app.getState())
  const mode = nextMode(before)
  void app.chooseMode(mode)
  if (byFreedom.indexOf(mode) <= byFreedom.indexOf(before)) return
  const sandbox = app.getState().permissions?.sandbox.available === true
  const { name, about } = t.modes.each[mode]
  notice(`${t.modes.picked(name)}. ${about(sandbox)}`)
}
