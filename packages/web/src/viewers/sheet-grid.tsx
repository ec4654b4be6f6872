import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { AskButton } from './ask-selection.tsx'
import type { FileSource } from './file-source.ts'
import {
  type CellPosition,
  columnName,
  formatCells,
  moved,
  rowAt,
  scrollHeight,
  scrollTopOf,
  selectionOf,
  textOfSelection,
} from './sheet-place.ts'
import { createSheetStore, type SheetStore } from './sheet-store.ts'
import type { ViewedFile } from '../api/viewer-kind.ts'
import './sheet-grid.css'

const rowHeight = 24
const columnWidth = 120
const numberWidth = 64
const headHeight = 26

interface SheetGridProps {
  file: ViewedFile
  source: FileSource
  /** Shown for a file that has the name of a workbook, but other content. */
  otherwise: ReactNode
}

/** A workbook as a grid. Only visible cells exist, and rows are read from the server when they come into view. */
export function SheetGrid({ file, source, otherwise }: SheetGridProps) {
  const [sheet, setSheet] = useState<string>()
  const [state, setState] = useState<{ store?: SheetStore | undefined; isRead?: boolean; problem?: string }>({})
  useEffect(() => {
    const stop = new AbortController()
    createSheetStore(source, sheet, stop.signal).then(
      (store) => stop.signal.aborted || setState({ store, isRead: true }),
      (error: unknown) => stop.signal.aborted || setState({ problem: errorMessage(error) }),
    )
    return () => stop.abort()
  }, [source, sheet])
  const { store, isRead, problem } = state
  if (problem !== undefined)
    return (
      <div className="side-panel-none">
        <p>
          <VisibleText text={problem} />
        </p>
        <a className="button button-plain" href={source.download} download={source.name}>
          {t.files.download}
        </a>
      </div>
    )
  if (store === undefined && isRead === true) return otherwise
  if (store === undefined) return <p className="side-panel-none">{t.panels.loading}</p>
  return (
    <>
      {store.notes.map((note) => (
        <p key={note} className="file-note">
          <VisibleText text={note} />
        </p>
      ))}
      <Grid key={store.sheet} file={file} store={store} />
      {store.sheets.length > 1 && (
        <div className="sheet-tabs">
          <Segments
            label={t.previews.sheet}
            options={store.sheets.map(({ name, isHidden }) => ({
              value: name,
              label: isHidden ? t.viewers.hiddenSheet(name) : name,
            }))}
            value={store.sheet}
            onChange={setSheet}
          />
        </div>
      )}
    </>
  )
}

function Grid({ file, store }: { file: ViewedFile; store: SheetStore }) {
  const room = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, left: 0, width: 600, height: 400 })
  const [, redraw] = useState(0)
  const [active, setActive] = useState<CellPosition>({ row: 1, column: 1 })
  const [start, setStart] = useState<CellPosition>({ row: 1, column: 1 })
  const measure = useCallback(() => {
    const { current } = room
    if (current === null) return
    const { scrollTop, scrollLeft, clientWidth, clientHeight } = current
    setView({ top: scrollTop, left: scrollLeft, width: clientWidth, height: clientHeight })
  }, [])
  useEffect(() => {
    const { current } = room
    if (current === null) return
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [measure])
  useEffect(() => store.onChange(() => redraw((count) => count + 1)), [store])

  const { rows, columns } = store
  const bodyHeight = Math.max(rowHeight, view.height - headHeight)
  const height = scrollHeight(rows, rowHeight)
  const firstRow = rowAt(view.top, { rows, rowHeight, bodyHeight })
  const rowCount = Math.min(rows - firstRow + 1, Math.ceil(bodyHeight / rowHeight) + 1)
  const firstColumn = Math.min(columns, Math.floor(view.left / columnWidth) + 1)
  const columnCount = Math.min(columns - firstColumn + 1, Math.ceil(view.width / columnWidth) + 1)
  useEffect(() => {
    store.need({
      top: firstRow,
      bottom: firstRow + rowCount - 1,
      left: firstColumn,
      right: firstColumn + columnCount - 1,
    })
  }, [store, firstRow, rowCount, firstColumn, columnCount])

  const selection = selectionOf(start, active)
  const isOne = start.row === active.row && start.column === active.column
  const place = `${store.sheet}!${formatCells(selection)}`
  const cell = store.cell(active.row, active.column)

  const go = (to: CellPosition, extend: boolean) => {
    setActive(to)
    if (!extend) setStart(to)
    const { current } = room
    if (current === null) return
    if (to.row <= firstRow || to.row >= firstRow + rowCount - 2) {
      const target = to.row <= firstRow ? to.row : to.row - rowCount + 3
      current.scrollTop = scrollTopOf(target, { rows, rowHeight, bodyHeight })
    }
    const left = (to.column - 1) * columnWidth
    if (left < current.scrollLeft) current.scrollLeft = left
    else if (left + columnWidth > current.scrollLeft + current.clientWidth - numberWidth)
      current.scrollLeft = left + columnWidth - current.clientWidth + numberWidth
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = moved(active, event, { rows, columns, page: Math.max(1, rowCount - 2) })
    if (to === undefined) return
    event.preventDefault()
    go(to, event.shiftKey)
  }
  const rowNumbers = Array.from({ length: Math.max(0, rowCount) }, (_, index) => firstRow + index)
  const columnNumbers = Array.from({ length: Math.max(0, columnCount) }, (_, index) => firstColumn + index)
  const isSelected = (row: number, column: number) =>
    row >= selection.top && row <= selection.bottom && column >= selection.left && column <= selection.right

  const placeOf = (column: number) => ({
    left: numberWidth + (column - 1) * columnWidth - view.left,
    width: columnWidth,
  })

  return (
    <>
      <div className="viewer-bar" role="toolbar" aria-label={t.viewers.tools}>
        <span className="sheet-place">{formatCells(selection)}</span>
        <output className="sheet-value">
          <VisibleText
            text={cell?.formula === undefined ? (cell?.text ?? '') : `${cell.formula} → ${cell.text}`}
            as="exact"
          />
        </output>
        <AskButton
          file={file}
          selected={
            isOne && cell === undefined
              ? undefined
              : { anchor: place, text: textOfSelection(selection, (row, column) => store.cell(row, column)) }
          }
        />
      </div>
      <div ref={room} className="sheet-room" onScroll={measure}>
        <div
          className="sheet-extent"
          style={{ width: numberWidth + columns * columnWidth, height: height + headHeight }}
        >
          <table
            className="sheet-grid"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- a grid is a table for keys
            role="grid"
            tabIndex={0}
            aria-label={store.sheet}
            aria-rowcount={rows}
            aria-colcount={columns}
            aria-multiselectable
            aria-activedescendant={`cell-${active.row}-${active.column}`}
            style={{ width: view.width, height: view.height }}
            onKeyDown={onKeyDown}
            onCopy={(event) => {
              event.preventDefault()
              const text = textOfSelection(selection, (row, column) => ({ text: store.cell(row, column)?.text ?? '' }))
              event.clipboardData.setData('text/plain', text)
            }}
          >
            <thead>
              <tr className="sheet-head" style={{ height: headHeight }}>
                <th scope="col" className="sheet-number">
                  <span className="visually-hidden">{t.viewers.rowNumbers}</span>
                </th>
                {columnNumbers.map((column) => (
                  <th
                    key={column}
                    scope="col"
                    aria-colindex={column}
                    data-on={column >= selection.left && column <= selection.right}
                    style={placeOf(column)}
                  >
                    {columnName(column)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rowNumbers.map((row, index) => (
                <tr
                  key={row}
                  aria-rowindex={row}
                  data-hidden={store.isHidden(row)}
                  style={{ top: headHeight + index * rowHeight, height: rowHeight }}
                >
                  <th scope="row" className="sheet-number" data-on={row >= selection.top && row <= selection.bottom}>
                    {row}
                  </th>
                  {columnNumbers.map((column) => {
                    const shown = store.cell(row, column)
                    return (
                      <td
                        key={column}
                        id={`cell-${row}-${column}`}
                        aria-colindex={column}
                        aria-selected={isSelected(row, column)}
                        data-active={row === active.row && column === active.column}
                        data-figure={shown?.isNumber === true}
                        title={shown?.formula}
                        style={placeOf(column)}
                        onPointerDown={(event) => {
                          setActive({ row, column })
                          if (!event.shiftKey) setStart({ row, column })
                        }}
                        onPointerEnter={(event) => {
                          if (event.buttons === 1) setActive({ row, column })
                        }}
                      >
                        <VisibleText text={shown?.text ?? ''} as="exact" />
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <p className="viewer-foot">{t.previews.rows(rows, columns)}</p>
    </>
  )
}
