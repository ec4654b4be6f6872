import { startTransition, useCallback, useEffect, useMemo, useState } from 'react'
import { splitLines, textIn } from '../../api/read-fields.ts'
import { toErrorInfo } from '../../api/request.ts'
import { useSession } from '../../chat/session/session-context.ts'
import { browserStorage } from '../../platform/storage.ts'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { fillGaps, foldContext, openAll, stepOf, unfold } from './diff-rows.ts'
import type { DisplayContent } from './display-registry.ts'
import { hunksIn, useHunkChoice, withHunkRows } from './hunk-choice.ts'
import { isLine, parseDiff } from './parse-diff.ts'

/** The rows of a diff, and the unchanged lines around them that the user opened. */
export function useDiff(content: DisplayContent, live: boolean) {
  const diff = textIn(content['diff'])
  const choice = useHunkChoice()
  const hunks = choice === null ? undefined : content['hunks']
  const parsed = useMemo(() => {
    const read = parseDiff(diff ?? '')
    return hunks === undefined ? read : { ...read, rows: withHunkRows(read.rows, hunksIn({ hunks })) }
  }, [diff, hunks])
  const { file, load } = useFileOfDiff(content, live)
  const isCut = content['cut'] === true
  const rows = useMemo(() => {
    if (file === undefined || 'problem' in file) return parsed.rows
    return fillGaps(parsed.rows, file.lines, live ? 'before' : 'after', { hasEnd: !isCut && !file.isCut })
  }, [parsed, file, live, isCut])
  const [opened, setOpened] = useState<readonly (readonly [number, number])[]>([])
  const [wantsWhole, setWantsWhole] = useState(false)
  const folded = useMemo(() => foldContext(rows ?? parsed.rows), [rows, parsed])
  const isWhole = wantsWhole && file !== undefined && rows !== undefined
  const allOpened = useMemo(() => (isWhole ? [...opened, ...openAll(folded)] : opened), [folded, opened, isWhole])
  const items = useMemo(() => unfold(folded, allOpened), [folded, allOpened])
  const open = useCallback(
    (line: number, count: number) => {
      load()
      startTransition(() => setOpened((before) => [...before, [line, stepOf(count)]]))
    },
    [load],
  )
  const hasNumbers = parsed.rows.some((row) => isLine(row) && (row.before ?? row.after) !== undefined)
  const change = textIn(content['change'])
  // A created or deleted file is all there. Only hunks with numbers have a known place in the file.
  const hasMore =
    hasNumbers && change !== 'created' && change !== 'deleted' && parsed.rows.every(({ type }) => type !== 'file')
  const problem =
    file !== undefined && 'problem' in file ? file.problem : rows === undefined ? t.displays.fileChanged : undefined
  return {
    ...parsed,
    items,
    /** Number of entries before folds were opened. Opened lines do not push others out of view. */
    total: folded.length,
    itemsOf: (entries: number) =>
      entries >= folded.length ? items.length : unfold(folded.slice(0, entries), allOpened).length,
    hasNumbers,
    /** Reason that the lines around cannot be shown. */
    problem,
    canFill: hasMore && problem === undefined,
    canShowWhole: hasMore && problem === undefined && !isCut && !wantsWhole,
    open,
    showWhole() {
      load()
      startTransition(() => setWantsWhole(true))
    },
  }
}

type FileOfDiff = { lines: readonly string[]; isCut: boolean } | { problem: string }

/** Reads the file on demand: as it is before a pending change, or after one that was made. */
function useFileOfDiff(content: DisplayContent, live: boolean): { file: FileOfDiff | undefined; load: () => void } {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const path = (live ? textIn(content['from']) : undefined) ?? textIn(content['path'])
  const [isWanted, setIsWanted] = useState(false)
  const [read, setRead] = useState<{ key: string; file: FileOfDiff }>()
  const key = `${sessionId} ${path} ${live}`
  useEffect(() => {
    if (!isWanted || path === undefined) return
    let isOver = false
    const show = (file: FileOfDiff) => {
      if (!isOver) startTransition(() => setRead({ key, file }))
    }
    api.file(sessionId, path).then(
      ({ file: { text, isCut } }) =>
        show(
          text === undefined
            ? { problem: t.displays.fileMissing }
            : { lines: text === '' ? [] : splitLines(text), isCut: isCut === true },
        ),
      (error: unknown) => show({ problem: toErrorInfo(error).message }),
    )
    return () => {
      isOver = true
    }
  }, [api, sessionId, path, key, isWanted])
  const load = useCallback(() => setIsWanted(true), [])
  return { file: read?.key === key ? read.file : undefined, load }
}

export type DiffLayout = 'unified' | 'split'

const layoutKey = 'troupe.diff'

/** The chosen layout, shared by all diffs of the page, and remembered. */
export function useDiffLayout(): [DiffLayout, (layout: DiffLayout) => void] {
  const [layout, setLayout] = useState(readLayout)
  useEffect(() => {
    const follow = () => setLayout(readLayout())
    layoutChanges.addEventListener('change', follow)
    return () => layoutChanges.removeEventListener('change', follow)
  }, [])
  return [
    layout,
    (chosen) => {
      browserStorage.set(layoutKey, chosen)
      layoutChanges.dispatchEvent(new Event('change'))
    },
  ]
}

const layoutChanges = new EventTarget()

function readLayout(): DiffLayout {
  return browserStorage.get(layoutKey) === 'split' ? 'split' : 'unified'
}

/** Narrower views have no room for two columns of code. */
const splitWidth = 620

/** Ref callback, and true if two columns fit into the element. */
export function useFitsTwoColumns(): [(element: HTMLElement | null) => (() => void) | undefined, boolean] {
  const [fits, setFits] = useState(false)
  const [watch] = useState(() => (element: HTMLElement | null) => {
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) => {
      // Hidden elements have no width.
      if (entry !== undefined && entry.contentRect.width > 0) setFits(entry.contentRect.width >= splitWidth)
    })
    observer.observe(element)
    return () => observer.disconnect()
  })
  return [watch, fits]
}
