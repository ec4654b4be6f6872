import { useEffect, useId, useLayoutEffect, useRef } from 'react'
import type { ReactNode, RefObject } from 'react'
import { useStore } from 'zustand'
import { t } from '../texts/t.ts'
import { Notices } from '../ui/notices.tsx'
import { PanelTabs } from './panel-tabs.tsx'
import { PanelView } from './panel-view.tsx'
import type { Panels } from './panels.ts'
import { frontPanel } from './panels-state.ts'
import { ResizeHandle } from './resize-handle.tsx'
import { useNarrowForPanels } from './use-narrow.ts'
import { usePanelWidth } from './use-panel-width.ts'
import './panel-stack.css'

/** Beside the session: its panels as tabs, one of them in front. Where there is no room, over it. */
export function PanelStack({ panels }: { panels: Panels }) {
  const state = useStore(panels)
  const baseId = useId()
  const front = frontPanel(state)
  const Frame = useNarrowForPanels() ? Sheet : Aside
  if (front === undefined) return null
  return (
    <Frame asked={state.asked} shown={front.id} onHeard={panels.heard} onHide={panels.hide}>
      <PanelTabs panels={panels} baseId={baseId} />
      {state.panels.map((panel) => (
        <PanelView key={panel.id} panel={panel} isFront={panel === front} baseId={baseId} />
      ))}
    </Frame>
  )
}

interface FrameProps {
  asked: number
  shown: string
  onHeard: () => void
  onHide: () => void
  children: ReactNode
}

function Aside({ asked, shown, onHeard, onHide, children }: FrameProps) {
  const frame = useRef<HTMLElement>(null)
  const { width, ...sizes } = usePanelWidth()
  useRequestedFocus(frame, asked, onHeard)
  useRestoredFocus(frame, shown)
  useEffect(() => {
    const { current } = frame
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onHide()
    }
    current?.addEventListener('keydown', onKey)
    return () => current?.removeEventListener('keydown', onKey)
  }, [onHide])
  return (
    <aside
      ref={frame}
      className="beside-stack beside-aside"
      aria-label={t.panels.title}
      tabIndex={-1}
      data-focus-home=""
      style={{ width }}
    >
      <ResizeHandle width={width} {...sizes} />
      {children}
    </aside>
  )
}

function Sheet({ asked, shown, onHeard, onHide, children }: FrameProps) {
  const sheet = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (asked > 0) onHeard()
  }, [asked, onHeard])
  useRestoredFocus(sheet, shown)
  // Closed before it goes, so that the browser gives the focus back.
  useLayoutEffect(() => {
    const { current } = sheet
    current?.showModal()
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={sheet}
      className="beside-stack beside-sheet"
      aria-label={t.panels.title}
      tabIndex={-1}
      data-focus-home=""
      data-focus-back
      onClose={(event) => {
        if (event.target === event.currentTarget && !event.currentTarget.open) onHide()
      }}
      {...{ closedby: 'any' }}
    >
      {children}
      {/* What is said elsewhere on the page stands behind a dialog. */}
      <Notices />
    </dialog>
  )
}

/** A person who asks for a panel gets the focus there, and back to where it was when the stack goes. */
function useRequestedFocus(frame: RefObject<HTMLElement | null>, asked: number, onHeard: () => void): void {
  const before = useRef<Element | null>(null)
  useEffect(() => {
    const { current } = frame
    if (asked === 0 || current === null) return
    onHeard()
    if (current.contains(document.activeElement)) return
    before.current = document.activeElement
    current.focus()
  }, [frame, asked, onHeard])
  useEffect(() => {
    const { current } = frame
    return () => {
      const isInside = current?.contains(document.activeElement) === true || document.activeElement === document.body
      if (!isInside) return
      const { current: was } = before
      // What opened it may be gone: then what shows and hides it always, or the field to write in.
      const back =
        was instanceof HTMLElement && was.isConnected && was !== document.body
          ? was
          : document.querySelector<HTMLElement>('.header-panels, .header-more, .composer-box textarea')
      back?.focus()
    }
  }, [frame])
}

/** What had the focus may be gone with what was shown before: then the stack has it. */
function useRestoredFocus(frame: RefObject<HTMLElement | null>, shown: string): void {
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current && document.activeElement === document.body) frame.current?.focus()
    isFirst.current = false
  }, [frame, shown])
}
