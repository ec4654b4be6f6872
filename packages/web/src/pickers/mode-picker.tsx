import type { Mode } from '@troupe/core'
import { FilePen, Hand, Map, ShieldOff } from 'lucide-react'
import { lazy, type ReactNode, useEffect, useRef, useState } from 'react'
import { notice } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { OnDemand } from '../ui/menu.tsx'
import { currentMode, nextMode } from '../workspace/app-state.ts'
import type { AppStore } from '../workspace/app-store.ts'
import { useApp } from '../workspace/workspace.ts'
import './picker-trigger.css'
import './mode-picker.css'

export const loadModeMenu = () => import('./mode-menu.tsx')
const ModeMenu = lazy(() => loadModeMenu().then((loaded) => ({ default: loaded.ModeMenu })))

/** Selects how much the current session may do without approval. */
export function ModePicker() {
  const mode = useApp(currentMode)
  const sandbox = useApp((state) => state.permissions?.sandbox.available === true)
  const { name } = t.modes.each[mode]
  return (
    <>
      <OnDemand
        button={
          <button
            type="button"
            className="picker-trigger mode-trigger"
            data-mode={mode}
            aria-haspopup="menu"
            aria-label={t.modes.picked(name)}
            aria-keyshortcuts="Alt+M"
          >
            {modeIcons[mode]}
            <span className="mode-trigger-name">{name}</span>
          </button>
        }
      >
        {(button, onClosed) => <ModeMenu trigger={button} onClosed={onClosed} />}
      </OnDemand>
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

export const modeIcons: Record<Mode, ReactNode> = {
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
