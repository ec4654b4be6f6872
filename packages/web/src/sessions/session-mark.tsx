import { Hand } from 'lucide-react'
import { t } from '../texts/t.ts'

/** What goes on in a session: that it waits for the person, and how often, or that a run is on. */
export function SessionMark({ waiting, running }: { waiting: number; running: boolean }) {
  if (waiting > 0) {
    return (
      <span className="session-waiting" title={t.sessions.waits}>
        <Hand aria-hidden />
        <span aria-hidden>{waiting}</span>
        <span className="visually-hidden">{`, ${t.sessions.waits}`}</span>
      </span>
    )
  }
  if (!running) return null
  return (
    <>
      <span className="session-dot session-running" title={t.sessions.runIsOn} />
      <span className="visually-hidden">{`, ${t.sessions.runIsOn}`}</span>
    </>
  )
}
