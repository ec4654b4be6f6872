import { AppWindow, PanelRightClose, Pin, PinOff, Plus, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { elementId, frontPanel, type Panel } from '../state/panels-state.ts'
import { openPanelChooser, type Panels } from '../state/panels.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useKind } from './panel-view.tsx'

/** One tab per panel, with actions for the front one. Arrow keys switch tabs, Delete closes. */
export function PanelTabs({ panels, baseId }: { panels: Panels; baseId: string }) {
  const state = useStore(panels)
  const front = frontPanel(state)
  const strip = useRef<HTMLDivElement>(null)
  const frontId = front?.id
  useEffect(() => {
    strip.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [frontId, state.panels.length])
  if (front === undefined) return null

  const focusFront = () => strip.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()
  const goTo = (panel: Panel | undefined) => {
    if (panel === undefined) return
    panels.bringForward(panel.id)
    // Wait until the new front tab has rendered.
    requestAnimationFrame(focusFront)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const at = state.panels.indexOf(front)
    const { length } = state.panels
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: length - 1 }
    const next = steps[event.key]
    if (next !== undefined) goTo(state.panels[(next + length) % length])
    else if (event.key === 'Delete') {
      panels.close(front.id)
      requestAnimationFrame(focusFront)
    } else return
    event.preventDefault()
  }

  return (
    <div className="side-panel-strip">
      <div ref={strip} className="side-panel-tabs" role="tablist" aria-label={t.panels.title}>
        {state.panels.map((panel) => (
          <Tab
            key={panel.id}
            panel={panel}
            isFront={panel === front}
            baseId={baseId}
            panels={panels}
            onKeyDown={onKeyDown}
          />
        ))}
      </div>
      <span className="side-panel-actions">
        {front.kind !== 'open' && (
          <IconButton label={t.panels.open} onClick={() => openPanelChooser(panels)}>
            <Plus />
          </IconButton>
        )}
        <IconButton
          label={front.pinned ? t.panels.unpin : t.panels.pin}
          aria-pressed={front.pinned}
          onClick={() => panels.pin(front.id, !front.pinned)}
        >
          {front.pinned ? <PinOff /> : <Pin />}
        </IconButton>
        <IconButton label={t.ui.close} onClick={() => panels.close(front.id)}>
          <X />
        </IconButton>
        <IconButton label={t.panels.hideAll} shortcut="Esc" onClick={panels.hide}>
          <PanelRightClose />
        </IconButton>
      </span>
    </div>
  )
}

interface TabProps {
  panel: Panel
  isFront: boolean
  baseId: string
  panels: Panels
  onKeyDown: (event: KeyboardEvent) => void
}

function Tab({ panel, isFront, baseId, panels, onKeyDown }: TabProps) {
  const { state } = useKind(panel.kind)
  const Icon = typeof state === 'object' ? (state.Icon ?? AppWindow) : AppWindow
  return (
    <button
      type="button"
      role="tab"
      id={elementId(baseId, 'tab', panel)}
      className="side-panel-tab"
      aria-selected={isFront}
      aria-controls={elementId(baseId, 'room', panel)}
      aria-keyshortcuts="Delete"
      tabIndex={isFront ? 0 : -1}
      title={panel.title}
      onKeyDown={onKeyDown}
      onClick={() => panels.bringForward(panel.id)}
      onAuxClick={(event) => {
        if (event.button === 1) panels.close(panel.id)
      }}
    >
      <span className="side-panel-tab-icon" aria-hidden>
        {panel.pinned ? <Pin /> : <Icon />}
      </span>
      <span className="side-panel-tab-title">
        <VisibleText text={panel.title} as="name" />
      </span>
      {/* For the mouse. Keyboards use Delete, and screen readers the button next to the tabs. */}
      <span
        className="side-panel-tab-close"
        aria-hidden
        onClick={(event) => {
          event.stopPropagation()
          panels.close(panel.id)
        }}
      >
        <X />
      </span>
    </button>
  )
}
