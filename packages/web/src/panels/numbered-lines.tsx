import { useEffect, useMemo, useRef, useState } from 'react'
import { splitLines } from '../displays/parts/read-fields.ts'
import { useVirtualList } from '../rows/use-row-window.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { coloredLines } from './coloured-lines.ts'
import type { ColoredSpan } from './coloured-lines.ts'
import './numbered-lines.css'

export interface NumberedLinesProps {
  text: string
  /** The ending of the file's name, for the colours. */
  language: string
  /** The line to begin with. */
  line: number | undefined
  label: string
}

const lineHeight = 20
/** About so many characters are seen before a line is wrapped. */
const lineLength = 70
/** So many lines above the one to begin with are seen as well. */
const linesBefore = 8

/** A text with the numbers of its lines; of a long one only what is in sight is drawn. */
export function NumberedLines({ text, language, line, label }: NumberedLinesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  /** Who has come to the end stays there while the lines above turn out higher or less high than was thought. */
  const isAtEnd = useRef(false)
  const lines = useMemo(() => splitLines(text), [text])
  const ids = useMemo(() => lines.map((_, index) => String(index)), [lines])
  const colours = useHighlighting(text, language)
  const [shown, setShown] = useState<{ lines: string[]; line: number }>()
  const isShown = line === undefined || (shown?.lines === lines && shown.line === line)
  const { list, from, to, room } = useVirtualList(ids, {
    scroller,
    guess: (index) => Math.ceil(((lines[index]?.length ?? 0) + 1) / lineLength) * lineHeight,
    begins: { at: 'start', height: window.innerHeight },
    buffer: 30 * lineHeight,
    keepsEnd: () => isAtEnd.current,
    toEnd: () => scroller.current?.scrollTo(0, scroller.current.scrollHeight),
    onScroll() {
      const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
      isAtEnd.current = scrollHeight - scrollTop - clientHeight <= 1
    },
    target: isShown ? null : String(Math.max(0, Math.min(line, lines.length) - linesBefore)),
    onTarget: () => line !== undefined && setShown({ lines, line }),
  })
  const digits = String(lines.length).length
  return (
    <div ref={scroller} className="numbered" tabIndex={0} role="document" aria-label={label}>
      <div ref={list} style={room}>
        {lines.slice(from, to).map((words, place) => {
          const index = from + place
          return (
            <div key={index} className="numbered-line" data-marked={index + 1 === line}>
              <span className="numbered-number" style={{ width: `${digits + 3}ch` }} aria-hidden>
                {index + 1}
              </span>
              <span className="numbered-text">{renderLine(words, colours?.[index])}</span>
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Plain until the colours are there, and where they do not fit the text. */
function renderLine(words: string, runs: ColoredSpan[] | undefined) {
  if (runs === undefined || runs.map(({ text }) => text).join('') !== words)
    return <VisibleText text={words} as="exact" />
  return runs.map(({ text, look }, index) => (
    <span key={index} className={look === '' ? undefined : look}>
      <VisibleText text={text} as="exact" />
    </span>
  ))
}

function useHighlighting(text: string, language: string): ColoredSpan[][] | undefined {
  const [coloured, setColoured] = useState<{ text: string; lines: ColoredSpan[][] }>()
  useEffect(() => {
    let isWanted = true
    const paint = async () => {
      const { highlight } = await import('../markdown/highlight.ts')
      const fragment = await highlight(text, language)
      if (isWanted && fragment !== undefined) setColoured({ text, lines: coloredLines(fragment) })
    }
    // Without the colours the text is still there: the server may be away.
    paint().catch(() => undefined)
    return () => {
      isWanted = false
    }
  }, [text, language])
  return coloured?.text === text ? coloured.lines : undefined
}
