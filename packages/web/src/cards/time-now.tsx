import { GenericCard } from '../chat/generic-card.tsx'
import type { CardProps } from '../chat/tool-call.ts'
import { ToolFrame } from '../chat/tool-frame.tsx'
import { ValueView } from '../chat/value-view.tsx'
import './time-now.css'

interface Time {
  iso: string
  timezone: string
  weekday: string
}

/** A clock face in one line: the hour, the place, the day. */
export default function TimeNowCard({ call }: CardProps) {
  const time = call.output as Time | undefined
  if (call.state !== 'output-available' || typeof time?.iso !== 'string') return <GenericCard call={call} />
  const [date = '', clock = ''] = time.iso.split('T')
  const summary = (
    <>
      <span className="time-clock">{clock.slice(0, 5)}</span> {time.weekday}, {date}
    </>
  )
  return (
    <ToolFrame call={call} title={time.timezone} summary={summary}>
      <ValueView value={time} />
    </ToolFrame>
  )
}
