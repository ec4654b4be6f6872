import type { ColoredSpan } from '../../markdown/highlight.ts'
import { VisibleText } from '../../ui/elements.tsx'

interface ColoredTextProps {
  text: string
  spans: readonly ColoredSpan[] | undefined
  /** Range to mark, in UTF-16 units. */
  marked?: readonly [from: number, to: number] | undefined
  markClass?: string
}

/** A line of code. Plain until its colors are known, or if they do not match the text. */
export function ColoredText({ text, spans, marked, markClass }: ColoredTextProps) {
  const known = spans !== undefined && spans.map((span) => span.text).join('') === text ? spans : [{ text, look: '' }]
  if (marked === undefined) return <Spans spans={known} />
  return (
    <>
      <Spans spans={cutSpans(known, 0, marked[0])} />
      <b className={markClass}>
        <Spans spans={cutSpans(known, ...marked)} />
      </b>
      <Spans spans={cutSpans(known, marked[1], text.length)} />
    </>
  )
}

function Spans({ spans }: { spans: readonly ColoredSpan[] }) {
  return spans.map(({ text, look }, index) =>
    look === '' ? (
      <VisibleText key={index} text={text} as="exact" />
    ) : (
      <span key={index} className={look}>
        <VisibleText text={text} as="exact" />
      </span>
    ),
  )
}

/** The part of the spans between two offsets of their text. */
export function cutSpans(spans: readonly ColoredSpan[], from: number, to: number): ColoredSpan[] {
  let start = 0
  return spans.flatMap(({ text, look }) => {
    const part = text.slice(Math.max(0, from - start), Math.max(0, to - start))
    start += text.length
    return part === '' ? [] : [{ text: part, look }]
  })
}
