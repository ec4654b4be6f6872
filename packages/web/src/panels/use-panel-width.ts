import { useState, useSyncExternalStore } from 'react'
import { browserStorage } from '../api/kept.ts'

const widthKey = 'troupe.panels.width'
const narrowest = 360
/** What is left for the chat and the list of sessions. */
const leftForChat = 640

/** How wide the stack is: as the person drew it, as far as the window has room for it. */
export function usePanelWidth() {
  const [wanted, setWanted] = useState(readWidth)
  const room = useSyncExternalStore(onResize, () => window.innerWidth)
  const widest = Math.max(narrowest, room - leftForChat)
  const usual = Math.round(Math.min(600, Math.max(390, room * 0.36)))
  const within = (width: number) => Math.round(Math.min(widest, Math.max(narrowest, width)))
  return {
    width: within(wanted ?? usual),
    narrowest,
    widest,
    /** Null: as wide as usual. `done`: it is kept. */
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
