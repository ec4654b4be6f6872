import { GenericCard } from '../chat/parts/generic-card.tsx'
import { ToolFrame } from '../chat/parts/tool-frame.tsx'
import type { CardProps } from '../chat/session/message-parts.ts'
import { ValueView } from '../displays/parts/display-parts.tsx'
import './time-now.css'

interface Time {
  iso: string
  timezone: string
  weekday: string
}

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
