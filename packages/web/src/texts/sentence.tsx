import { Fragment } from 'react'
import type { ReactNode } from 'react'

/** A text with elements in it: `sentence('Tried again at {time}.', { time: <Moment … /> })`. */
export function formatElements(text: string, parts: Record<string, ReactNode>): ReactNode[] {
  return text
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 0 ? piece : <Fragment key={index}>{parts[piece]}</Fragment>))
}
