import { type Strictness, visiblePieces } from '@troupe/protocol'
import {
  type ComponentProps,
  Fragment,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { create } from 'zustand'
import { formatMoment } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import './visible-text.css'

/** Beyond this it is not text, and marks would only cost. */
const mostMarks = 2000

/** Text of others, with what cannot be seen in it made visible. */
export function VisibleText({ text, as = 'text' }: { text: string; as?: Strictness }) {
  const pieces = visiblePieces(text, as)
  const shown = pieces.map((piece) => (typeof piece === 'string' ? piece : `⟨${piece.codePoint}⟩`))
  if (pieces.length > mostMarks) return shown.join('')
  return pieces.map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span key={index} className="odd-character" title={t.ui.oddCharacter(piece.codePoint)}>
        {shown[index]}
      </span>
    ),
  )
}

/** When something happened, as seen from when it came into sight. */
export function Moment({ time }: { time: number }) {
  const [now] = useState(Date.now)
  return <time dateTime={new Date(time).toISOString()}>{formatMoment(time, now)}</time>
}

/** Something with a name that a page may have many of. A section with a name would be a landmark, and those are few. */
export function Group({ label, ...rest }: Omit<ComponentProps<'div'>, 'role' | 'aria-label'> & { label: string }) {
  // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
  return <div role="group" aria-label={label} {...rest} />
}

/** The sign of the house: one who leads, and those who work along. */
export function Logo() {
  return (
    <svg className="mark-sign" viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="9" className="mark-ground" />
      <circle cx="16" cy="11.5" r="4.6" />
      <circle cx="9" cy="21.5" r="3.1" opacity=".72" />
      <circle cx="23" cy="21.5" r="3.1" opacity=".72" />
      <circle cx="16" cy="23" r="2.2" opacity=".45" />
    </svg>
  )
}

/** A field that is as high as its text; its CSS says how high at most. */
export function GrowingTextarea({ ref, ...props }: ComponentProps<'textarea'> & { ref?: Ref<HTMLTextAreaElement> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useImperativeHandle(ref, () => field.current as HTMLTextAreaElement)
  useLayoutEffect(() => {
    const { current } = field
    if (current === null) return
    current.style.height = 'auto'
    current.style.height = `${current.scrollHeight}px`
  }, [props.value])
  return <textarea ref={field} rows={1} {...props} />
}

/** A text with elements in it: `sentence('Tried again at {time}.', { time: <Moment … /> })`. */
export function formatElements(text: string, parts: Record<string, ReactNode>): ReactNode[] {
  return text
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 0 ? piece : <Fragment key={index}>{parts[piece]}</Fragment>))
}

export interface EnlargedImage {
  url: string
  name: string
}

/** The image that is looked at on its own, if there is one. */
export const useEnlargedImage = create<{ image: EnlargedImage | null }>(() => ({ image: null }))

export function enlargeImage(image: EnlargedImage | null): void {
  useEnlargedImage.setState({ image })
}
