import {
  type KeyboardEvent as ReactKeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useStore } from 'zustand'
import { browserStorage } from '../platform/storage.ts'
import { Notices } from '../state/notices.tsx'
import { frontPanel } from '../state/panels-state.ts'
import { type Panels, useNarrowForPanels } from '../state/panels.ts'
import { t } from '../texts/t.ts'
import { useOutsideClick } from '../ui/dialog.tsx'
import './panel-stack.css'
import { PanelTabs } from './panel-tabs.tsx'
import { PanelView } from './panel-view.tsx'

/** Panels of the session as tabs, next to the chat. Covers the chat if space is tight. */
export function PanelStack({ panels }: { panels: Panels }) {
  const state = useStore(panels)
  const baseId = useId()
  const front = frontPanel(state)
  const Frame = useNarrowForPanels() ? Sheet : Aside
  if (front === undefined) return null
  return (
    <Frame focusRequest={state.focusRequest} shown={front.id} onHeard={panels.clearFocusRequest} onHide={panels.hide}>
      <PanelTabs panels={panels} baseId={baseId} />
      {state.panels.map((panel) => (
        <PanelView key={panel.id} panel={panel} isFront={panel === front} baseId={baseId} />
      ))}
    </Frame>
  )
}

interface FrameProps {
  focusRequest: number
  shown: string
  onHeard: () => void
  onHide: () => void
  children: ReactNode
}

function Aside({ focusRequest: asked, shown, onHeard, onHide, children }: FrameProps) {
  const frame = useRef<HTMLElement>(null)
  const { width, ...sizes } = usePanelWidth()
  useRequestedFocus(frame, asked, onHeard)
  useRestoredFocus(frame, shown)
  useEffect(() => {
    const { current } = frame
    const onKey = (event: KeyboardEvent) => {
      // A dialog of a panel closes alone.
      const isInDialog = event.target instanceof Element && event.target.closest('dialog') !== null
      if (event.key === 'Escape' && !event.defaultPrevented && !isInDialog) onHide()
    }
    current?.addEventListener('keydown', onKey)
    return () => current?.removeEventListener('keydown', onKey)
  }, [onHide])
  return (
    <aside
      ref={frame}
      className="side-panel-stack side-panel-aside"
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

function Sheet({ focusRequest: asked, shown, onHeard, onHide, children }: FrameProps) {
  const sheet = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (asked > 0) onHeard()
  }, [asked, onHeard])
  useRestoredFocus(sheet, shown)
  useOutsideClick(sheet)
  // Close before unmounting, so that the browser restores the focus.
  useLayoutEffect(() => {
    const { current } = sheet
    current?.showModal()
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={sheet}
      className="side-panel-stack side-panel-sheet"
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
      {/* Notices elsewhere on the page are behind a modal dialog. */}
      <Notices />
    </dialog>
  )
}

/** Focuses a panel that the user opened, and restores the focus when the stack closes. */
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
      // The opener may be gone. Fall back to the panel toggle or the composer.
      const back =
        was instanceof HTMLElement && was.isConnected && was !== document.body
          ? was
          : document.querySelector<HTMLElement>('.header-panels, .header-more, .composer-box textarea')
      back?.focus()
    }
  }, [frame])
}

/** If the focused element disappeared with the previous panel, focuses the stack. */
function useRestoredFocus(frame: RefObject<HTMLElement | null>, shown: string): void {
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current && document.activeElement === document.body) frame.current?.focus()
    isFirst.current = false
  }, [frame, shown])
}

interface ResizeHandleProps {
  width: number
  narrowest: number
  widest: number
  setWidth: (width: number | null, done: boolean) => void
}

const step = 24

/** Divider between chat and panels. Drag or use arrow keys to resize; double-click to reset. */
function ResizeHandle({ width, narrowest, widest, setWidth }: ResizeHandleProps) {
  const onPointerDown = (event: PointerEvent<HTMLHRElement>) => {
    if (event.button !== 0) return
    const { currentTarget: handle, pointerId, clientX: from } = event
    handle.setPointerCapture(pointerId)
    // Otherwise frames would swallow pointer events, and dragging would select text.
    document.body.dataset['resizing'] = ''
    let last = width
    const onMove = ({ clientX }: globalThis.PointerEvent) => {
      last = width + from - clientX
      setWidth(last, false)
    }
    const onEnd = () => {
      handle.removeEventListener('pointermove', onMove)
      delete document.body.dataset['resizing']
      if (last !== width) setWidth(last, true)
    }
    handle.addEventListener('pointermove', onMove)
    handle.addEventListener('lostpointercapture', onEnd, { once: true })
  }
  const onKeyDown = (event: ReactKeyboardEvent) => {
    const far = event.shiftKey ? 4 * step : step
    const widths: Record<string, number | null> = {
      ArrowLeft: width + far,
      ArrowRight: width - far,
      Home: narrowest,
      End: widest,
      Enter: null,
    }
    const next = widths[event.key]
    if (next === undefined) return
    event.preventDefault()
    setWidth(next, true)
  }
  return (
    // A separator that can have the focus is a widget.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <hr
      className="side-panel-resize"
      aria-orientation="vertical"
      aria-label={t.panels.resize}
      aria-valuenow={width}
      aria-valuemin={narrowest}
      aria-valuemax={widest}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onDoubleClick={() => setWidth(null, true)}
      onKeyDown={onKeyDown}
    />
  )
}

const widthKey = 'troupe.panels.width'
const narrowest = 360
/** Minimum width left for the chat and the session list, in pixels. */
const leftForChat = 640

function usePanelWidth() {
  const [wanted, setWanted] = useState(readWidth)
  const room = useSyncExternalStore(onResize, () => window.innerWidth)
  const widest = Math.max(narrowest, room - leftForChat)
  const usual = Math.round(Math.min(600, Math.max(390, room * 0.36)))
  const within = (width: number) => Math.round(Math.min(widest, Math.max(narrowest, width)))
  return {
    width: within(wanted ?? usual),
    narrowest,
    widest,
    /** Null resets to the default width. `done` persists it. */
    setWidth(width: number | null, done: boolean) {
      const next = width === null ? null : within(width)
      setWanted(next)
      if (done) browserStorage.set(widthKey, next === null ? null : String(next))
    },
  }
}

function readWidth(): number | null {
  const width = Number(browserStorage.get(widthKey))
  return Number.isFinite(width) && width > 0 ? width : null
}

function onResize(listener: () => void): () => void {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}
