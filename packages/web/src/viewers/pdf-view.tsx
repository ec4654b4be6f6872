import { ChevronDown, ChevronUp, PanelLeft, ZoomIn, ZoomOut } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { AskButton, useSelectedText } from './ask-selection.tsx'
import { DocumentView } from './document-view.tsx'
import type { FileSource } from './file-source.ts'
import { findPages, openPdf, type PdfFile } from './pdf-document.ts'
import { PdfPage } from './pdf-page.tsx'
import type { ViewedFile } from '../api/viewer-kind.ts'
import './pdf-view.css'

const steps = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4] as const

/** A PDF by pages, with selectable text, search and small pictures of its pages. */
export function PdfView({ file, source }: { file: ViewedFile; source: FileSource }) {
  const [state, setState] = useState<{ pdf?: PdfFile; size?: PageSize; problem?: string }>({})
  useEffect(() => {
    const stop = new AbortController()
    open(source, stop.signal).then(
      (opened) => stop.signal.aborted || setState(opened),
      (error: unknown) => stop.signal.aborted || setState({ problem: errorMessage(error) }),
    )
    return () => stop.abort()
  }, [source])
  const { pdf, size, problem } = state
  // The server reads more damaged files than the page.
  if (problem !== undefined) return <DocumentView file={file} source={source} />
  if (pdf === undefined || size === undefined) return <p className="side-panel-none">{t.panels.loading}</p>
  return <Pages file={file} name={source.name} pdf={pdf} size={size} />
}

export interface PageSize {
  width: number
  height: number
}

async function open({ url, bytes }: FileSource, signal: AbortSignal): Promise<{ pdf: PdfFile; size: PageSize }> {
  const pdf = await openPdf(bytes ?? url, signal)
  const { width, height } = (await pdf.page(1)).getViewport({ scale: 1 })
  return { pdf, size: { width, height } }
}

interface PagesProps {
  file: ViewedFile
  name: string
  pdf: PdfFile
  size: PageSize
}

function Pages({ file, name, pdf, size }: PagesProps) {
  const room = useRef<HTMLDivElement>(null)
  const selected = useSelectedText(room)
  const [zoom, setZoom] = useState<number>()
  const [width, setWidth] = useState(0)
  const [current, setCurrent] = useState(1)
  const [hasThumbnails, setThumbnails] = useState(false)
  const search = useSearch(pdf)
  useEffect(() => {
    const { current: element } = room
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  // Fits the width of the panel unless a size is chosen.
  const scale = zoom ?? Math.min(2, Math.max(0.3, (width - 32) / size.width))
  const numbers = useMemo(() => Array.from({ length: pdf.pages }, (_, index) => index + 1), [pdf])
  const goTo = useCallback((number: number) => {
    const page = room.current?.querySelector(`[data-page="${number}"]`)
    page?.scrollIntoView({ block: 'start' })
    setCurrent(number)
  }, [])
  const step = (by: 1 | -1) => {
    const next = by > 0 ? steps.find((one) => one > scale * 1.02) : steps.findLast((one) => one < scale * 0.98)
    if (next !== undefined) setZoom(next)
  }
  const goToMatch = (by: 1 | -1) => {
    const { found } = search
    const next = by > 0 ? found.find((page) => page > current) : found.findLast((page) => page < current)
    const target = next ?? (by > 0 ? found[0] : found.at(-1))
    if (target !== undefined) goTo(target)
  }
  const { found, isSearching } = search
  useEffect(() => {
    if (!isSearching && found.length > 0 && !found.includes(current)) goToMatch(1)
    // oxlint-disable-next-line react/exhaustive-deps -- only the end of a search moves the view
  }, [found, isSearching])
  const onScroll = () => {
    const { current: element } = room
    if (element === null) return
    const view = element.getBoundingClientRect()
    let best = { number: current, height: 0 }
    for (const page of element.querySelectorAll<HTMLElement>('[data-page]')) {
      const { top, bottom } = page.getBoundingClientRect()
      if (top > view.bottom) break
      const height = Math.min(bottom, view.bottom) - Math.max(top, view.top)
      if (height > best.height + 1) best = { number: Number(page.dataset['page']), height }
    }
    setCurrent(best.number)
  }
  return (
    <>
      <div className="viewer-bar" role="toolbar" aria-label={t.viewers.tools}>
        <IconButton
          label={t.viewers.thumbnails}
          aria-pressed={hasThumbnails}
          onClick={() => setThumbnails(!hasThumbnails)}
        >
          <PanelLeft />
        </IconButton>
        <label className="pdf-number">
          <span className="visually-hidden">{t.viewers.page}</span>
          <input
            type="number"
            min={1}
            max={pdf.pages}
            value={current}
            onChange={({ target }) => {
              const number = Number(target.value)
              if (Number.isInteger(number) && number >= 1 && number <= pdf.pages) goTo(number)
            }}
          />
          <span aria-hidden>/ {pdf.pages}</span>
        </label>
        <IconButton label={t.chat.zoomOut} onClick={() => step(-1)}>
          <ZoomOut />
        </IconButton>
        <IconButton label={t.chat.zoomIn} onClick={() => step(1)}>
          <ZoomIn />
        </IconButton>
        <search className="pdf-search">
          <input
            type="search"
            value={search.words}
            placeholder={t.viewers.search}
            aria-label={t.viewers.search}
            onChange={({ target }) => search.setWords(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') goToMatch(event.shiftKey ? -1 : 1)
            }}
          />
          {search.words !== '' && (
            <>
              <output className="viewer-facts">
                {search.isSearching ? t.viewers.searching : t.viewers.foundPages(search.found.length)}
              </output>
              <IconButton label={t.viewers.previous} onClick={() => goToMatch(-1)}>
                <ChevronUp />
              </IconButton>
              <IconButton label={t.viewers.next} onClick={() => goToMatch(1)}>
                <ChevronDown />
              </IconButton>
            </>
          )}
        </search>
        <AskButton file={file} selected={selected} />
      </div>
      <div className="pdf-body">
        {hasThumbnails && (
          <nav className="pdf-thumbnails" aria-label={t.viewers.thumbnails}>
            {numbers.map((number) => (
              <button
                key={number}
                type="button"
                aria-label={t.viewers.pageNumber(number)}
                aria-current={number === current ? 'page' : undefined}
                onClick={() => goTo(number)}
              >
                <PdfPage pdf={pdf} number={number} size={size} scale={96 / size.width} />
                <span aria-hidden>{number}</span>
              </button>
            ))}
          </nav>
        )}
        <div
          ref={room}
          className="viewer-room pdf-pages"
          role="document"
          tabIndex={0}
          aria-label={name}
          onScroll={onScroll}
        >
          {width > 0 &&
            numbers.map((number) => (
              <div key={number} className="pdf-place" data-page={number} data-anchor={`p. ${number}`}>
                <PdfPage pdf={pdf} number={number} size={size} scale={scale} hasText marked={search.words} />
              </div>
            ))}
        </div>
      </div>
      <p className="viewer-foot">
        <VisibleText text={t.viewers.pages(pdf.pages)} />
      </p>
    </>
  )
}

/** Pages that contain the words. Starts again shortly after the last key. */
function useSearch(pdf: PdfFile) {
  const [words, setWords] = useState('')
  const [state, setState] = useState<{ found: number[]; isSearching: boolean }>(nothing)
  useEffect(() => {
    const wanted = words.trim()
    if (wanted === '') return
    const stop = new AbortController()
    const find = async () => {
      for await (const page of findPages(pdf, wanted, stop.signal))
        setState(({ found }) => ({ found: [...found, page], isSearching: true }))
      if (!stop.signal.aborted) setState(({ found }) => ({ found, isSearching: false }))
    }
    const timer = setTimeout(() => void find().catch(() => undefined), 250)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [pdf, words])
  const search = (wanted: string) => {
    setWords(wanted)
    setState({ found: [], isSearching: wanted.trim() !== '' })
  }
  return { words, setWords: search, ...state }
}

const nothing = { found: [], isSearching: false }
