import { type ReactNode, useEffect, useRef, useState } from 'react'

const atFirst = 60
const step = 120

/** Renders the first rows, and more as the person comes near the end. */
export function GrowingList<Item>({
  label,
  items,
  children,
}: {
  label: string
  items: readonly Item[]
  children: (item: Item) => ReactNode
}) {
  const [count, setCount] = useState(atFirst)
  const end = useRef<HTMLLIElement>(null)
  const hasMore = count < items.length
  useEffect(() => {
    if (!hasMore || end.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setCount((before) => before + step)
      },
      { rootMargin: '600px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [hasMore, count])
  return (
    <ul className="change-list" aria-label={label}>
      {items.slice(0, count).map(children)}
      {hasMore && <li ref={end} aria-hidden className="change-end" />}
    </ul>
  )
}

/** Open files by path. A short list starts open. */
export function useOpenFiles(paths: readonly string[], openUpTo: number) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const isOpen = (path: string): boolean => chosen.get(path) ?? paths.length <= openUpTo
  return {
    isOpen,
    toggle: (path: string) => setChosen((before) => new Map(before).set(path, !isOpen(path))),
  }
}

/** The text to filter by, and the paths that match it. */
export function useFilter<Item extends { path: string }>(items: readonly Item[]) {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  return {
    text,
    setText,
    items: wanted === '' ? items : items.filter(({ path }) => path.toLowerCase().includes(wanted)),
  }
}
