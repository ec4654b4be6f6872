import type { ReadDocument } from '@troupe/protocol'
import { useEffect, useRef, useState } from 'react'
import { Markdown } from '../content/markdown.tsx'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { AskButton, useSelectedText } from './ask-selection.tsx'
import type { DocumentQuery, FileSource } from './file-source.ts'
import type { ViewedFile } from '../api/viewer-kind.ts'

/** A document as the text that agents read: Word, slides with notes, mail, books, archives as a tree. */
export function DocumentView({ file, source }: { file: ViewedFile; source: FileSource }) {
  const host = useRef<HTMLDivElement>(null)
  const selected = useSelectedText(host)
  const { parts, problem, isLoading, more } = useParts(source)
  const [first] = parts
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
          <VisibleText text={first.facts} />
        </span>
        <AskButton file={file} selected={selected} />
      </div>
      <div ref={host} className="viewer-room viewer-document" role="document" tabIndex={0} aria-label={source.name}>
        {first.notes?.map((note) => (
          <p key={note} className="file-note">
            <VisibleText text={note} />
          </p>
        ))}
        {parts.map((part, index) =>
          sections(part.text).map(({ anchor, text }, at) => (
            <section key={`${index} ${at}`} data-anchor={anchor === '' ? undefined : anchor}>
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

function useParts(source: FileSource) {
  const [state, setState] = useState<{ parts: ReadDocument[]; problem?: string; isLoading: boolean }>({
    parts: [],
    isLoading: true,
  })
  const load = async (part: DocumentQuery, signal?: AbortSignal): Promise<void> => {
    try {
      const document = await source.read(part, signal)
      setState(({ parts }) => ({ parts: [...parts, document], isLoading: false }))
    } catch (error) {
      if (signal?.aborted !== true) setState(({ parts }) => ({ parts, problem: errorMessage(error), isLoading: false }))
    }
  }
  useEffect(() => {
    const stop = new AbortController()
    setState({ parts: [], isLoading: true })
    void load({}, stop.signal)
    return () => stop.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- loads once for each file
  }, [source])
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

/** Splits at the anchors of the reader, such as `[p. 12]` or `[slide 3]`, so that a selection knows its place. */
export function sections(text: string): { anchor: string; text: string }[] {
  const found: { anchor: string; text: string }[] = []
  let anchor = ''
  let lines: string[] = []
  const end = () => {
    if (lines.some((line) => line !== '')) found.push({ anchor, text: lines.join('\n') })
    lines = []
  }
  for (const line of text.split('\n')) {
    const mark = /^(?:#{1,6} )?\[((?:p\.|slide|sheet|message|chapter|section|note) ?[^\]]{1,60})\]/i.exec(line)?.[1]
    if (mark !== undefined) {
      end()
      anchor = mark
    }
    lines.push(line)
  }
  end()
  return found
}
