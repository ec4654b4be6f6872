import { useEffect, useRef, useState } from 'react'
import { drawPage, layText, type PdfFile, simplify } from './pdf-document.ts'

interface PdfPageProps {
  pdf: PdfFile
  number: number
  /** Of the first page, until this one is loaded. */
  size: { width: number; height: number }
  scale: number
  hasText?: boolean
  /** Words to mark in the text. */
  marked?: string
}

/** One page, drawn while it is near the visible part and dropped when it is far. */
export function PdfPage({ pdf, number, size, scale, hasText = false, marked = '' }: PdfPageProps) {
  const host = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  const [own, setOwn] = useState(size)
  const [drawn, setDrawn] = useState(0)
  useEffect(() => {
    const { current } = host
    if (current === null) return
    const observer = new IntersectionObserver((entries) => setNear(entries.some((entry) => entry.isIntersecting)), {
      rootMargin: '600px 0px',
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const { current } = host
    if (current === null || !isNear) return
    const stop = new AbortController()
    const canvas = document.createElement('canvas')
    const text = document.createElement('div')
    text.className = 'pdf-text'
    const draw = async () => {
      const page = await pdf.page(number)
      if (stop.signal.aborted) return
      const { width, height } = page.getViewport({ scale: 1 })
      setOwn({ width, height })
      current.replaceChildren(canvas, ...(hasText ? [text] : []))
      await drawPage(page, canvas, { scale, signal: stop.signal })
      if (hasText && !stop.signal.aborted) await layText(page, text, scale)
      if (!stop.signal.aborted) setDrawn((count) => count + 1)
    }
    draw().catch(() => undefined)
    return () => {
      stop.abort()
      current.replaceChildren()
      // Frees the memory of the picture at once.
      canvas.width = 0
    }
  }, [pdf, number, scale, isNear, hasText])
  useEffect(() => {
    const wanted = simplify(marked.trim())
    for (const span of host.current?.querySelectorAll('.pdf-text span') ?? [])
      span.classList.toggle('pdf-found', wanted !== '' && simplify(span.textContent).includes(wanted))
  }, [marked, drawn])
  return <div ref={host} className="pdf-page" style={{ width: own.width * scale, height: own.height * scale }} />
}
