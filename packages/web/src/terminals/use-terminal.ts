import type { WatchedState } from '@troupe/protocol'
import { type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { Emulator, EmulatorActions } from './emulator.ts'
import type { TerminalSocket, Watch, WatchTarget } from './terminal-socket.ts'

export interface OpenTerminal {
  emulator: Emulator
  watch: Watch
}

interface TerminalView {
  /** Undefined while the emulator loads. */
  open: OpenTerminal | undefined
  state: WatchedState | undefined
  status: 'loading' | 'ready' | 'gone' | 'failed'
  /** Characters that were dropped unseen. */
  skipped: number
}

interface UseTerminalOptions {
  socket: TerminalSocket
  target: WatchTarget
  screen: RefObject<HTMLDivElement | null>
  label: string
  isShown: boolean
  actions: Omit<EmulatorActions, 'onInput' | 'onPosition' | 'onLook'>
  /** Changes what is typed, for keys that touch screens lack. */
  mapInput: (text: string) => string
}

const resizeMs = 60

/** Connects an emulator in `screen` with output on the server, as long as the component is mounted. */
export function useTerminal({
  socket,
  target,
  screen,
  label,
  isShown,
  actions,
  mapInput,
}: UseTerminalOptions): TerminalView {
  const [open, setOpen] = useState<OpenTerminal>()
  const [view, setView] = useState<Omit<TerminalView, 'open'>>({ state: undefined, status: 'loading', skipped: 0 })
  const latest = useRef<WatchedState | undefined>(undefined)
  const targetKey = JSON.stringify(target)
  const stableTarget = useMemo(() => JSON.parse(targetKey) as WatchTarget, [targetKey])
  const act = useEffectEvent((): EmulatorActions => ({
    ...actions,
    onInput: () => undefined,
    onPosition: () => undefined,
    onLook: () => undefined,
  }))
  const typed = useEffectEvent(mapInput)
  const labelOf = useEffectEvent(() => label)

  useEffect(() => {
    const parent = screen.current
    if (parent === null) return
    let isOver = false
    let current: OpenTerminal | undefined
    const start = async () => {
      const [{ createEmulator }] = await Promise.all([
        import('./emulator.ts'),
        // Cells are measured with this font. Without it, another is used.
        document.fonts?.load(getComputedStyle(parent).font).catch(() => undefined),
      ])
      if (isOver) return
      const emulator = createEmulator(parent, labelOf(), {
        onInput: (text) => watch.input(typed(text)),
        onPosition: (query, row, column) => watch.position(query, row, column),
        onPaste: (text) => act().onPaste(text),
        onLink: (link, isHidden) => act().onLink(link, isHidden),
        onSelection: (has) => act().onSelection(has),
        onFind: () => act().onFind(),
        onSend: () => act().onSend(),
        onLeave: () => act().onLeave(),
        onCopied: (isCopied) => act().onCopied(isCopied),
        onLook: () => current !== undefined && claimSize(current, latest.current),
      })
      const watch = socket.watch(stableTarget, {
        onOutput(text, skipped) {
          emulator.write(text, () => watch.done(text.length))
          if (skipped > 0) setView((before) => ({ ...before, skipped: before.skipped + skipped }))
        },
        onState(state) {
          latest.current = state
          emulator.setTyping(state.typing)
          if (state.columns !== null && state.rows !== null) emulator.resize(state.columns, state.rows)
          else if (current !== undefined) claimSize(current, state)
          setView((before) => ({ ...before, state, status: 'ready' }))
        },
        onGone: () => setView((before) => ({ ...before, status: 'gone' })),
        onAgain: () => emulator.reset(),
      })
      current = { emulator, watch }
      setOpen(current)
    }
    start().catch(() => {
      if (!isOver) setView((before) => ({ ...before, status: 'failed' }))
    })
    return () => {
      isOver = true
      current?.watch.close()
      current?.emulator.dispose()
      setOpen(undefined)
    }
  }, [socket, stableTarget, screen])

  const typing = view.state?.typing
  useEffect(() => {
    const parent = screen.current
    if (open === undefined || parent === null || !isShown) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const claim = () => claimSize(open, latest.current)
    const observer = new ResizeObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(claim, resizeMs)
    })
    observer.observe(parent)
    // The window that is used sets the size for all windows.
    parent.addEventListener('focusin', claim)
    claim()
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      parent.removeEventListener('focusin', claim)
    }
  }, [open, screen, isShown, typing])
  return { open, ...view }
}

function claimSize({ emulator, watch }: OpenTerminal, state: WatchedState | undefined): void {
  const size = emulator.fitting()
  if (size === undefined || state === undefined) return
  if (state.columns === null) emulator.resize(size.columns, size.rows)
  else if (state.typing && document.hasFocus() && (state.columns !== size.columns || state.rows !== size.rows))
    watch.resize(size.columns, size.rows)
}
