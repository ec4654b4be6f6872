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

/** Beyond this, the content is not text, and marks would only cost time. */
const mostMarks = 2000

/** Shows untrusted text with invisible characters made visible. A name keeps its direction inside a sentence. */
export function VisibleText({ text, as = 'text' }: { text: string; as?: Strictness }) {
  if (as === 'name' && hasRightToLeft(text)) return <bdi>{visible(text, as)}</bdi>
  return visible(text, as)
}

const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** True if a text has letters that are written from right to left. */
export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text)
}

function visible(text: string, as: Strictness): ReactNode {
  const pieces = visiblePieces(text, as)
  const shown = pieces.map((piece) => (typeof piece === 'string' ? piece : `⟨${piece.codePoint}⟩`))
  if (pieces.length > mostMarks) return shown.join('')
  return pieces.map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span key={index} className="odd-character" title={t.ui.invisibleCharacter(piece.codePoint)}>
        {shown[index]}
      </span>
    ),
  )
}

/** Shows a time, formatted relative to the first render. */
export function Moment({ time }: { time: number }) {
  const [now] = useState(Date.now)
  return <time dateTime={new Date(time).toISOString()}>{formatMoment(time, now)}</time>
}

/** Named group. A named section would be a landmark, and a page should have few of those. */
export function Group({ label, ...rest }: Omit<ComponentProps<'div'>, 'role' | 'aria-label'> & { label: string }) {
  // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
  return <div role="group" aria-label={label} {...rest} />
}

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

/** Textarea that grows with its text. CSS sets the maximum height. */
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

/** Inserts elements into a text: `formatElements('Tried again at {time}.', { time: <Moment … /> })`. */
export function formatElements(text: string, parts: Record<string, ReactNode>): ReactNode[] {
  return text
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 0 ? piece : <Fragment key={index}>{parts[piece]}</Fragment>))
}

export interface EnlargedImage {
  url: string
  name: string
}

export const useEnlargedImage = create<{ image: EnlargedImage | null }>(() => ({ image: null }))

export function enlargeImage(image: EnlargedImage | null): void {
  useEnlargedImage.setState({ image })
}
