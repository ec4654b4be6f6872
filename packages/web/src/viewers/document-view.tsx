import type { ReadDocument } from '@troupe/protocol'
import { useEffect, useRef, useState } from 'react'
import { Markdown } from '../content/markdown.tsx'
import { errorMessage } from '../texts/format.ts'
import { translateFacts, translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { AskButton, useSelectedText } from './ask-selection.tsx'
import type { DocumentQuery, FileSource } from './file-source.ts'
import { WordLayout } from './word-layout.tsx'
import type { ViewedFile } from '../api/viewer-kind.ts'

interface DocumentViewProps {
  file: ViewedFile
  source: FileSource
  onRead?: (document: ReadDocument) => void
  /** Shows the formatting of the document, if the server knows it. */
  isLaidOut?: boolean
}

/** A document as the text that agents read: Word, slides with notes, mail, books, archives as a tree. */
export function DocumentView({ file, source, onRead, isLaidOut = false }: DocumentViewProps) {
  const host = useRef<HTMLDivElement>(null)
  const selected = useSelectedText(host)
  const { parts, problem, isLoading, more } = useParts(source, isLaidOut, onRead)
  const [first] = parts
  const layouts = parts.flatMap(({ layout }) => layout ?? [])
  if (first === undefined)
    return (
      <div className="side-panel-none">
        {problem === undefined ? (
          <p>{t.panels.loading}</p>
        ) : (
          <>
            <p>
              <VisibleText text={problem} />
            </p>
            <a className="button button-plain" href={source.download} download={source.name}>
              {t.files.download}
            </a>
          </>
        )}
      </div>
    )
  return (
    <>
      <div className="viewer-bar" role="toolbar" aria-label={t.viewers.tools}>
        <span className="viewer-facts">
          <VisibleText text={translateFacts(first.facts)} />
        </span>
        <AskButton file={file} selected={selected} />
      </div>
      <div ref={host} className="viewer-room viewer-document" role="document" tabIndex={0} aria-label={source.name}>
        {first.notes?.map((note) => (
          <p key={note} className="file-note">
            <VisibleText text={translateServerText(note, 'text')} />
          </p>
        ))}
        {layouts.length > 0 && <WordLayout parts={layouts} />}
        {parts.map((part, index) =>
          sections(part.text).map(({ anchor, text }, at) => (
            <section key={`${index} ${at}`} data-anchor={anchor === '' ? undefined : anchor}>
              {slideNumber(anchor) !== undefined && (
                <p className="viewer-facts">{t.viewers.slide(slideNumber(anchor)!)}</p>
              )}
              <Markdown text={text} done />
            </section>
          )),
        )}
        {problem !== undefined && (
          <p className="file-note">
            <VisibleText text={problem} />
          </p>
        )}
        {more !== undefined && (
          <Button disabled={isLoading} onClick={more}>
            {isLoading ? t.panels.loading : t.viewers.more}
          </Button>
        )}
      </div>
    </>
  )
}

function useParts(source: FileSource, isLaidOut: boolean, onRead?: (document: ReadDocument) => void) {
  const [state, setState] = useState<{ parts: ReadDocument[]; problem?: string; isLoading: boolean }>({
    parts: [],
    isLoading: true,
  })
  const load = async (part: DocumentQuery, signal?: AbortSignal): Promise<void> => {
    try {
      const document = await source.read(isLaidOut ? { ...part, layout: '1' } : part, signal)
      if (signal?.aborted !== true) onRead?.(document)
      setState(({ parts }) => ({ parts: [...parts, document], isLoading: false }))
    } catch (error) {
      if (signal?.aborted !== true)
        setState(({ parts }) => ({
          parts,
          problem: translateServerText(errorMessage(error), 'text'),
          isLoading: false,
        }))
    }
  }
  useEffect(() => {
    const stop = new AbortController()
    setState({ parts: [], isLoading: true })
    void load({}, stop.signal)
    return () => stop.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- loads once for each file
  }, [source, isLaidOut])
  const next = state.parts.at(-1)?.next
  const more =
    next === undefined
      ? undefined
      : () => {
          setState((before) => ({ ...before, isLoading: true }))
          void load(next)
        }
  return { ...state, more }
}

/**
 * Splits at the anchors of the reader, such as `[p. 12]`, `[slide 3]` or `[¶ 7]`, so that a selection knows its place.
 * Numbers of paragraphs are for citing, so they are not shown, and the items of a list stay together.
 */
export function sections(text: string): { anchor: string; text: string }[] {
  const found: { anchor: string; text: string }[] = []
  let anchor = ''
  let lines: string[] = []
  const end = () => {
    if (lines.some((line) => line !== '')) found.push({ anchor, text: withBreaks(lines).join('\n') })
    lines = []
  }
  for (const line of withoutOutline(text.split('\n'))) {
    const [, level = '', mark, rest = ''] = anchorPattern.exec(line) ?? []
    if (mark === undefined) {
      lines.push(line)
      continue
    }
    const isParagraph = mark.startsWith('¶')
    const shown = isParagraph || mark.startsWith('slide') ? `${level}${rest}` : line
    const joins = isParagraph && listItem.test(rest) && listItem.test(lines[0] ?? '')
    if (!joins) {
      end()
      anchor = mark
    }
    lines.push(shown)
  }
  end()
  return found
}

function slideNumber(anchor: string): number | undefined {
  const number = /^slide (\d+)$/.exec(anchor)?.[1]
  return number === undefined ? undefined : Number(number)
}

const anchorPattern = /^(#{1,6} )?\[((?:p\.|¶|slide|sheet|message|chapter|section|note) ?[^\]]{1,60})\] ?(.*)$/i
const listItem = /^\s*(?:[-*+]|\d{1,9}[.)]) /

/** A long document starts with the outline that agents need. People scroll. */
function withoutOutline(lines: readonly string[]): readonly string[] {
  const end = lines[0] === 'Outline:' ? lines.indexOf('') : -1
  return end < 0 ? lines : lines.slice(end + 1)
}

/** Markdown joins the lines of a paragraph, such as the head of a mail. */
function withBreaks(lines: readonly string[]): string[] {
  const isPlain = lines.every((line) => !/^\s*(?:[-*+|>#`~]|\d{1,9}[.)] )/.test(line))
  return isPlain
    ? lines.map((line, index) => (line === '' || index === lines.length - 1 ? line : `${line}  `))
    : [...lines]
}
