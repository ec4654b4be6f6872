import { type CSSProperties, memo, type ReactNode, startTransition, useEffect, useMemo, useState } from 'react'
import type { ColoredSpan } from '../../markdown/highlight.ts'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import { VisibleText } from '../../ui/elements.tsx'
import { ColoredText } from './colored-text.tsx'
import { type DiffItem, firstNumber, type LinePair, pairLines, stepOf } from './diff-rows.ts'
import './diff-table.css'
import { PathName } from './display-parts.tsx'
import { useHunkChoice } from './hunk-choice.ts'
import { type DiffLine, isLine } from './parse-diff.ts'
import type { DiffLayout } from './use-diff.ts'

interface DiffTableProps {
  items: readonly DiffItem[]
  /** Number of items to show. */
  shown: number
  /** `plain`: lines of a file, without changes. */
  layout: DiffLayout | 'plain'
  hasNumbers: boolean
  /** File extension, for syntax colors. */
  language: string
  change?: string | undefined
  /** Shows unchanged lines from a line number on. Absent if they are not available. */
  onOpen?: ((line: number, count: number) => void) | undefined
  onUnfold?: (line: number, count: number) => void
}

/** Rows that are drawn and colored in one go, so that no task takes long. */
const chunkRows = 60

export function DiffTable({ items, shown, layout, hasNumbers, language, change, onOpen, onUnfold }: DiffTableProps) {
  const all = useMemo(() => chunksOf(items), [items])
  // Chunks that are shown already keep their identity when more follow.
  const chunks = useGradually(useMemo(() => firstItems(all, shown), [all, shown]))
  const widest = useMemo(() => items.reduce((most, item) => Math.max(most, widestNumber(item)), 99), [items])
  const columns = { '--number-width': `calc(${String(widest).length}ch + 10px)` }
  return (
    <table
      className={`code-lines diff diff-${layout}${hasNumbers ? '' : ' diff-unnumbered'}${chunks.length > 2 ? ' diff-long' : ''}`}
      style={columns as CSSProperties}
    >
      {chunks.map((own, index) => (
        <Chunk
          key={index}
          items={own}
          before={chunks[index - 1]}
          language={language}
          change={change}
          layout={layout}
          onOpen={onOpen}
          onUnfold={onUnfold}
        />
      ))}
    </table>
  )
}

/** Adds a few chunks per frame, so that a long diff never blocks the page. */
function useGradually<Item>(items: readonly Item[]): readonly Item[] {
  const [count, setCount] = useState(chunksPerFrame)
  const isLeft = count < items.length
  useEffect(() => {
    if (!isLeft) return
    const frame = requestAnimationFrame(() => startTransition(() => setCount(count + chunksPerFrame)))
    return () => cancelAnimationFrame(frame)
  }, [count, isLeft])
  return isLeft ? items.slice(0, count) : items
}

const chunksPerFrame = 3
/** Height of a line that does not wrap, in pixels. */
const rowHeight = 20

/**
 * Cuts between changes where possible, so that both sides of a change stay together, and after folds, so that opening
 * one leaves the following chunks as they are.
 */
function chunksOf(items: readonly DiffItem[]): DiffItem[][] {
  const chunks: DiffItem[][] = []
  for (const [index, item] of items.entries()) {
    const last = chunks.at(-1)
    const isInside = isChange(item) && isChange(items[index - 1])
    const isFull = last !== undefined && last.length >= (isInside ? 4 * chunkRows : chunkRows)
    if (last === undefined || isFull || items[index - 1]?.type === 'fold') chunks.push([item])
    else last.push(item)
  }
  return chunks.map(asBefore)
}

/** Chunks by their first item. */
const knownChunks = new WeakMap<DiffItem, DiffItem[]>()

/** Returns the same array for the same items, so that React skips the chunk. */
function asBefore(chunk: DiffItem[]): DiffItem[] {
  const [first] = chunk
  if (first === undefined) return chunk
  const known = knownChunks.get(first)
  if (known?.length === chunk.length && chunk.every((item, index) => item === known[index])) return known
  knownChunks.set(first, chunk)
  return chunk
}

function isChange(item: DiffItem | undefined): boolean {
  return item?.type === 'added' || item?.type === 'removed' || item?.type === 'note'
}

function firstItems(chunks: readonly DiffItem[][], count: number): DiffItem[][] {
  const first: DiffItem[][] = []
  let left = count
  for (const chunk of chunks) {
    if (left <= 0) break
    first.push(chunk.length <= left ? chunk : chunk.slice(0, left))
    left -= chunk.length
  }
  return first
}

function widestNumber(item: DiffItem): number {
  return isLine(item) ? Math.max(item.before ?? 0, item.after ?? 0) : 0
}

interface ChunkProps extends Pick<DiffTableProps, 'layout' | 'language' | 'change' | 'onOpen' | 'onUnfold'> {
  items: readonly DiffItem[]
  before: readonly DiffItem[] | undefined
}

const Chunk = memo(function Chunk({ items, before, language, change, layout, onOpen, onUnfold }: ChunkProps) {
  const colors = useColors(items, before, language)
  const rows = useMemo(() => (layout === 'split' ? pairLines(items) : items), [items, layout])
  const wide = layout === 'split' ? 6 : 4
  return (
    // The browser skips chunks out of view, and needs to know about how high they are.
    <tbody style={{ containIntrinsicBlockSize: `auto ${rows.length * rowHeight}px` }}>
      {rows.map((row, index) => {
        switch (row.type) {
          case 'pair':
            return <PairRow key={index} pair={row} colors={colors} />
          case 'fold':
            return (
              <GapRow key={index} wide={wide}>
                <OpenButton count={row.lines.length} onOpen={() => onUnfold?.(firstNumber(row), row.lines.length)} />
              </GapRow>
            )
          case 'gap':
            return (
              <GapRow key={index} wide={wide}>
                {row.count > 0 &&
                  (onOpen === undefined ? (
                    <span>{t.displays.unchanged(row.count)}</span>
                  ) : (
                    <OpenButton count={row.count} onOpen={() => onOpen(row.before, row.count)} />
                  ))}
                {row.count === 0 && row.heading === '' && <span aria-hidden>⋯</span>}
                {row.heading !== '' && (
                  <span className="diff-heading">
                    <VisibleText text={row.heading} as="exact" />
                  </span>
                )}
              </GapRow>
            )
          case 'hunk':
            return <HunkRow key={index} id={row.id} change={row.isFile === true ? change : undefined} wide={wide} />
          case 'file':
            return (
              <tr key={index} className="diff-file">
                <td colSpan={wide}>
                  <PathName path={row.path} />
                </td>
              </tr>
            )
          case 'note':
            return (
              <tr key={index} className="diff-note">
                <td colSpan={wide}>{row.text === 'No newline at end of file' ? t.displays.noNewline : row.text}</td>
              </tr>
            )
          default:
            return <LineRow key={index} line={row} colors={colors} isPlain={layout === 'plain'} />
        }
      })}
    </tbody>
  )
})

/** `change`: what happens to the file, if the hunk is about all of it. */
function HunkRow({ id, change, wide }: { id: string; change: string | undefined; wide: number }) {
  const choice = useHunkChoice()
  if (choice === null) return null
  const { ids, rejected, disabled, toggle, unchosenLabel = t.displays.hunkRejected } = choice
  const isRejected = rejected.has(id)
  const what = t.displays.changes[change ?? '']
  const number = t.displays.hunk(ids.indexOf(id) + 1, ids.length)
  const name = what === undefined ? number : `${number}: ${what}`
  return (
    <tr className="diff-hunk">
      <td colSpan={wide}>
        <label>
          <input type="checkbox" checked={!isRejected} disabled={disabled} onChange={() => toggle(id)} />
          {isRejected ? unchosenLabel(name) : name}
        </label>
      </td>
    </tr>
  )
}

function useIsRejected(line: DiffLine | undefined): boolean {
  const choice = useHunkChoice()
  return line?.hunk !== undefined && choice?.rejected.has(line.hunk) === true
}

function GapRow({ wide, children }: { wide: number; children: ReactNode }) {
  return (
    <tr className="diff-gap">
      <td colSpan={wide}>{children}</td>
    </tr>
  )
}

function OpenButton({ count, onOpen }: { count: number; onOpen: () => void }) {
  const step = stepOf(count)
  return (
    <button type="button" onClick={onOpen}>
      {step === count ? t.displays.showUnchanged(count) : t.displays.showSomeUnchanged(step, count)}
    </button>
  )
}

const signs = { context: '', added: '+', removed: '−' }
type Colors = ReadonlyMap<DiffLine, ColoredSpan[]>

function LineRow({ line, colors, isPlain }: { line: DiffLine; colors: Colors; isPlain: boolean }) {
  const isRejected = useIsRejected(line)
  return (
    <tr className={`diff-${line.type}`} data-rejected={isRejected || undefined}>
      {!isPlain && <td className="code-number diff-before">{line.before}</td>}
      <td className="code-number diff-after">{line.after}</td>
      {!isPlain && <td className="code-sign">{signs[line.type]}</td>}
      <td className="code-text">
        <LineText line={line} colors={colors} />
      </td>
    </tr>
  )
}

function PairRow({ pair: { left, right }, colors }: { pair: LinePair; colors: Colors }) {
  const isRejected = useIsRejected(left?.hunk === undefined ? right : left)
  return (
    <tr className="diff-pair" data-rejected={isRejected || undefined}>
      <Half line={left} number={left?.before} colors={colors} />
      <Half line={right} number={right?.after} colors={colors} />
    </tr>
  )
}

function Half({ line, number, colors }: { line: DiffLine | undefined; number: number | undefined; colors: Colors }) {
  const look = line === undefined ? 'diff-missing' : `diff-${line.type}`
  return (
    <>
      <td className={`code-number ${look}`}>{number}</td>
      <td className={`code-sign ${look}`}>{line && signs[line.type]}</td>
      <td className={`code-text ${look}`}>{line && <LineText line={line} colors={colors} />}</td>
    </>
  )
}

function LineText({ line, colors }: { line: DiffLine; colors: Colors }) {
  return <ColoredText text={line.text} spans={colors.get(line)} marked={line.changed} markClass="diff-changed" />
}

/** Longer chunks are machine-made. */
const mostColored = 16_000
const noColors: Colors = new Map()

/** Colors of the lines, once known. The items before tell whether the first line is inside a comment or a text. */
function useColors(items: readonly DiffItem[], before: readonly DiffItem[] | undefined, language: string): Colors {
  const [found, setFound] = useState<{ items: readonly DiffItem[]; colors: Colors }>()
  useEffect(() => {
    let isWanted = true
    const paint = async () => {
      const { highlightLines } = await import('../../markdown/highlight.ts')
      const colors = new Map<DiffLine, ColoredSpan[]>()
      const own = new Set<DiffItem>(items)
      for (const part of splitAtGaps([...(before ?? []), ...items])) {
        for (const hidden of ['added', 'removed'] as const) {
          const side = part.filter(({ type }) => type !== hidden)
          const text = side.map((line) => line.text).join('\n')
          const isUseful = side.some((line) => own.has(line) && (line.type !== 'context' || hidden === 'removed'))
          if (!isUseful || text.length > mostColored || !isWanted) continue
          const spans = await highlightLines(text, language)
          for (const [index, line] of side.entries()) if (own.has(line)) colors.set(line, spans?.[index] ?? [])
        }
      }
      if (isWanted && colors.size > 0) setFound({ items, colors })
    }
    // If highlighting fails to load, plain text stays.
    paint().catch(() => undefined)
    return () => {
      isWanted = false
    }
  }, [items, before, language])
  return found?.items === items ? found.colors : noColors
}

/** Code on both sides of a gap does not belong together. */
function splitAtGaps(items: readonly DiffItem[]): DiffLine[][] {
  const parts: DiffLine[][] = [[]]
  for (const item of items)
    if (isLine(item)) parts.at(-1)?.push(item)
    else if (item.type !== 'note') parts.push([])
  return parts
}
