import { Hand } from 'lucide-react'

/** What goes on in a session: that it waits for the person, and how often, or that a run is on. */
export function SessionMark({ waiting, running }: { waiting: number; running: boolean }) {
  if (waiting > 0) {
    return (
      <span className="session-waiting" title="waits for you">
        <Hand aria-hidden />
        <span aria-hidden>{waiting}</span>
        <span className="visually-hidden">, waits for you</span>
      </span>
    )
  }
  if (!running) return null
  return (
    <>
      <span className="session-dot session-running" title="a run is on" />
      <span className="visually-hidden">, a run is on</span>
    </>
  )
}
