import { useEffect, useMemo, useRef, useState } from 'react'
import { VList } from 'virtua'
import type { VListHandle } from 'virtua'
import { linesOf } from '../displays/parts/read-fields.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { colouredLines } from './coloured-lines.ts'
import type { Run } from './coloured-lines.ts'
import './numbered-lines.css'

export interface NumberedLinesProps {
  text: string
  /** The ending of the file's name, for the colours. */
  language: string
  /** The line to begin with. */
  line: number | undefined
  label: string
}

/** A text with the numbers of its lines; of a long one only what is in sight is drawn. */
export function NumberedLines({ text, language, line, label }: NumberedLinesProps) {
  const list = useRef<VListHandle>(null)
  const lines = useMemo(() => linesOf(text), [text])
  const colours = useColours(text, language)
  useEffect(() => {
    if (line !== undefined) list.current?.scrollToIndex(Math.max(0, line - 1), { align: 'center' })
  }, [line, lines])
  const digits = String(lines.length).length
  return (
    <VList ref={list} className="numbered" tabIndex={0} role="document" aria-label={label}>
      {lines.map((words, index) => (
        <div key={index} className="numbered-line" data-marked={index + 1 === line}>
          <span className="numbered-number" style={{ width: `${digits + 3}ch` }} aria-hidden>
            {index + 1}
          </span>
          <span className="numbered-text">{shown(words, colours?.[index])}</span>
        </div>
      ))}
    </VList>
  )
}

/** Plain until the colours are there, and where they do not fit the text. */
function shown(words: string, runs: Run[] | undefined) {
  if (runs === undefined || runs.map(({ text }) => text).join('') !== words)
    return <VisibleText text={words} as="exact" />
  return runs.map(({ text, look }, index) => (
    <span key={index} className={look === '' ? undefined : look}>
      <VisibleText text={text} as="exact" />
    </span>
  ))
}

function useColours(text: string, language: string): Run[][] | undefined {
  const [coloured, setColoured] = useState<{ text: string; lines: Run[][] }>()
  useEffect(() => {
    let isWanted = true
    const paint = async () => {
      const { highlight } = await import('../markdown/highlight.ts')
      const fragment = await highlight(text, language)
      if (isWanted && fragment !== undefined) setColoured({ text, lines: colouredLines(fragment) })
    }
    // Without the colours the text is still there: the server may be away.
    paint().catch(() => undefined)
    return () => {
      isWanted = false
    }
  }, [text, language])
  return coloured?.text === text ? coloured.lines : undefined
}
