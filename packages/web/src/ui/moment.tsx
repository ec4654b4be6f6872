import { useState } from 'react'
import { formatMoment } from './format.ts'

/** When something happened, as seen from when it came into sight. */
export function Moment({ time }: { time: number }) {
  const [now] = useState(Date.now)
  return <time dateTime={new Date(time).toISOString()}>{formatMoment(time, now)}</time>
}
