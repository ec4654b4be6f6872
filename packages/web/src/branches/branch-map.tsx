import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { isNarrowForPanels } from '../state/panels.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useTree } from './branch-data.ts'
import './branch-map.css'
import { layOutTree, type MapRow, type TreeIndex } from './branch-tree.ts'
import { MapRowView, rowHeight, SelectedMessage } from './map-row.tsx'

export function BranchMap({ messageId }: { messageId: string | undefined }) {
  const { tree, failure, again } = useTree()
  if (tree === null) {
    if (failure === null) return <p className="side-panel-none">{t.branches.loading}</p>
    return (
      <div className="side-panel-none">
        <p>{failure}</p>
        <Button onClick={again}>{t.branches.retry}</Button>
      </div>
    )
  }
  return <MapRows key={messageId} tree={tree} messageId={messageId} />
}

function MapRows({ tree, messageId }: { tree: TreeIndex; messageId: string | undefined }) {
  const { goTo, panels } = useSessionStore()
  const leaf = useSession((state) => state.messages.at(-1)?.id)
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const [marked, setMarked] = useState(messageId ?? leaf)
  const rows = useMemo(() => layOutTree(tree, { leaf, unfolded, shown: messageId }), [tree, leaf, unfolded, messageId])
  const place = Math.max(
    0,
    rows.findIndex(({ key }) => key === marked),
  )
  const row = rows[place]
  const baseId = useId()
  const { box, onScroll, first, last } = useWindow(rows.length, place)

  const take = (taken: MapRow) => {
    setMarked(taken.hidden > 0 ? taken.message.id : taken.key)
    if (taken.hidden > 0) setUnfolded((before) => new Set([...before, taken.message.id]))
    else {
      if (isNarrowForPanels()) panels.hide()
      void goTo(taken.message.id)
    }
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || row === undefined) return
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      take(row)
      return
    }
    const next = nextPlace(event.key, place, rows)
    if (next === undefined) return
    event.preventDefault()
    setMarked(rows[next]?.key)
  }

  return (
    <div className="map">
      <p className="side-panel-head map-count">
        {tree.leaves > 1 ? t.branches.count(tree.leaves, tree.messages.size) : t.branches.one}
      </p>
      <div
        ref={box}
        className="map-tree"
        role="tree"
        aria-label={t.branches.map}
        aria-activedescendant={row === undefined ? undefined : `${baseId}-${row.key}`}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div className="map-rows" role="presentation" style={{ height: rows.length * rowHeight }}>
          {rows.slice(first, last).map((each, index) => (
            <MapRowView
              key={each.key}
              id={`${baseId}-${each.key}`}
              row={each}
              top={(first + index) * rowHeight}
              isMarked={each === row}
              onMark={() => setMarked(each.key)}
              onTake={() => take(each)}
            />
          ))}
        </div>
      </div>
      {row !== undefined && row.hidden === 0 && (
        <SelectedMessage tree={tree} message={row.message} isOnBranch={row.isOnBranch} onGo={() => take(row)} />
      )}
    </div>
  )
}

/** Returns the row for an arrow key: up and down by row, left to the parent, right to the first child. */
function nextPlace(key: string, place: number, rows: readonly MapRow[]): number | undefined {
  const last = rows.length - 1
  const { lane = 0 } = rows[place] ?? {}
  switch (key) {
    case 'ArrowDown':
      return Math.min(place + 1, last)
    case 'ArrowUp':
      return Math.max(place - 1, 0)
    case 'PageDown':
      return Math.min(place + 10, last)
    case 'PageUp':
      return Math.max(place - 10, 0)
    case 'Home':
      return 0
    case 'End':
      return last
    case 'ArrowLeft': {
      if (rows[place]?.from === null) return place
      const wanted = rows[place]?.from === 'left' ? lane - 1 : lane
      return Math.max(
        0,
        rows.findLastIndex((row, index) => index < place && row.lane === wanted),
      )
    }
    case 'ArrowRight':
      return rows[place]?.continues === true ? Math.min(place + 1, last) : place
    default:
      return undefined
  }
}

/** Renders only visible rows and keeps the selected row in view. */
function useWindow(count: number, marked: number) {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const look = () => {
    const { current } = box
    if (current !== null) setView({ top: current.scrollTop, height: current.clientHeight })
  }
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const top = marked * rowHeight
    if (top < current.scrollTop) current.scrollTop = Math.max(0, top - rowHeight)
    else if (top + rowHeight > current.scrollTop + current.clientHeight)
      current.scrollTop = top + 2 * rowHeight - current.clientHeight
    look()
  }, [marked, count])
  useEffect(() => {
    const observer = new ResizeObserver(look)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - 8)
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + 8)
  return { box, onScroll: look, first, last }
}
