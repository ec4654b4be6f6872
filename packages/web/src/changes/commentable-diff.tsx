import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { useSession } from '../chat/session/session-context.ts'
import { DiffTable } from '../displays/parts/diff-table.tsx'
import { useShowMore } from '../displays/parts/display-parts.tsx'
import { extensionOf } from '../displays/parts/language-of.ts'
import { useDiff, useDiffLayout, useFitsTwoColumns } from '../displays/parts/use-diff.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Group, GrowingTextarea, VisibleText } from '../ui/elements.tsx'
import './commentable-diff.css'
import { addComment } from './comments.ts'

export interface ShownDiff {
  path: string
  change: string
  diff: string
  from?: string | undefined
  cut?: true | undefined
  hunks: readonly { id: string; from: number; to: number }[]
}

const shownAtFirst = 120
const moreRows = 400

/** A diff whose lines can be commented on: click line numbers, or choose lines with the arrow keys. */
export function CommentableDiff({ file }: { file: ShownDiff }) {
  const diff = useDiff({ kind: 'diff', ...file }, false)
  const [layout] = useDiffLayout()
  const [watch, fits] = useFitsTwoColumns()
  const { shown, left, grow } = useShowMore(diff.total, shownAtFirst, moreRows)
  const box = useRef<HTMLDivElement>(null)
  const lines = useLineChoice(box)
  const hintId = useId()
  if (diff.items.length === 0)
    return <p className="panel-empty">{t.displays.withoutText[file.change] ?? t.displays.sameText}</p>
  return (
    <div ref={watch} className="commentable">
      <Group
        ref={box}
        className="commentable-lines"
        tabIndex={0}
        label={t.comments.lines(file.path)}
        aria-describedby={hintId}
        onKeyDown={lines.onKeyDown}
        onMouseDown={lines.onMouseDown}
      >
        <DiffTable
          items={diff.items}
          shown={diff.itemsOf(shown)}
          layout={fits ? layout : 'unified'}
          hasNumbers={diff.hasNumbers}
          language={extensionOf(file.path)}
          change={file.change}
          onOpen={diff.canFill ? diff.open : undefined}
          onUnfold={diff.open}
        />
      </Group>
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.displays.moreLines(left)}
        </button>
      )}
      {file.cut === true && <p className="panel-foot">{t.changes.cut}</p>}
      {diff.problem !== undefined && (
        <output className="panel-foot">
          <VisibleText text={diff.problem} />
        </output>
      )}
      <span id={hintId} hidden>
        {t.comments.hint}
      </span>
      <output className="visually-hidden" aria-live="polite">
        {lines.said}
      </output>
      {lines.chosen !== undefined && <CommentForm path={file.path} chosen={lines.chosen} onDone={lines.clear} />}
    </div>
  )
}

interface ChosenLines {
  from: number
  to: number
  isOld: boolean
  quote: string
  /** The form is open. */
  isWriting: boolean
}

interface CommentFormProps {
  path: string
  chosen: ChosenLines
  onDone: () => void
}

function CommentForm({ path, chosen, onDone }: CommentFormProps) {
  const sessionId = useSession((state) => state.sessionId)
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const { from, to, isOld, quote, isWriting } = chosen
  useEffect(() => {
    if (isWriting) field.current?.focus()
  }, [isWriting])
  const [first, last] = [from, to].map((line) => (isOld ? t.comments.oldLine(String(line)) : String(line)))
  const label = from === to ? t.comments.onLine(first!) : t.comments.onLines(first!, last!)
  const save = () => {
    if (text.trim() === '') return
    addComment(sessionId, { path, from, to, isOld, quote, text: text.trim() })
    onDone()
  }
  return (
    <form
      className="comment-form"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <label>
        <span>{label}</span>
        <GrowingTextarea
          ref={field}
          dir="auto"
          value={text}
          placeholder={t.comments.write}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return
            if (event.key === 'Escape') {
              event.stopPropagation()
              onDone()
            } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault()
              save()
            }
          }}
        />
      </label>
      <div className="comment-buttons">
        <Button kind="primary" type="submit" disabled={text.trim() === ''}>
          {t.comments.save}
        </Button>
        <Button kind="quiet" onClick={onDone}>
          {t.comments.cancel}
        </Button>
      </div>
    </form>
  )
}

/** Rows are elements of the diff table, which knows nothing of comments. */
function useLineChoice(box: React.RefObject<HTMLDivElement | null>) {
  const [chosen, setChosen] = useState<ChosenLines>()
  const [said, setSaid] = useState('')
  /** First and last chosen row. The last one moves. */
  const range = useRef<{ anchor: HTMLElement; head: HTMLElement } | null>(null)

  return { chosen, said, clear, onKeyDown, onMouseDown }

  function rows(): HTMLElement[] {
    return [
      ...(box.current?.querySelectorAll<HTMLElement>('tr:is(.diff-added, .diff-removed, .diff-context, .diff-pair)') ??
        []),
    ]
  }

  function clear(): void {
    for (const row of box.current?.querySelectorAll('[data-chosen]') ?? []) row.removeAttribute('data-chosen')
    range.current = null
    setChosen(undefined)
    setSaid('')
    box.current?.focus({ preventScroll: true })
  }

  function choose(anchor: HTMLElement, head: HTMLElement, isWriting: boolean): void {
    const all = rows()
    const [first, last] = [all.indexOf(anchor), all.indexOf(head)].toSorted((a, b) => a - b) as [number, number]
    const between = all.slice(Math.max(0, first), last + 1)
    for (const row of all) row.toggleAttribute('data-chosen', between.includes(row))
    range.current = { anchor, head }
    head.scrollIntoView({ block: 'nearest' })
    const lines = between.map(lineOf)
    const isOld = lines.every(({ after }) => after === undefined)
    const numbers = lines.flatMap(({ before, after }) => (isOld ? before : after) ?? [])
    if (numbers.length === 0) return
    const { before, after, text } = lineOf(head)
    setSaid(t.comments.chosen(String(after ?? before ?? ''), text.slice(0, 200)))
    setChosen({
      from: Math.min(...numbers),
      to: Math.max(...numbers),
      isOld,
      quote: lines.map((line) => line.text).join('\n'),
      isWriting,
    })
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const all = rows()
    const at = range.current === null ? -1 : all.indexOf(range.current.head)
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (to !== undefined) {
      const head = all[Math.max(0, Math.min(to, all.length - 1))]
      if (head === undefined) return
      event.preventDefault()
      choose(event.shiftKey ? (range.current?.anchor ?? head) : head, head, false)
    } else if (event.key === 'Enter' && range.current !== null) {
      event.preventDefault()
      choose(range.current.anchor, range.current.head, true)
    } else if (event.key === 'Escape' && range.current !== null) {
      event.preventDefault()
      event.stopPropagation()
      clear()
    }
  }

  function onMouseDown(event: MouseEvent): void {
    const cell = (event.target as Element).closest('td.code-number')
    const row = cell?.closest<HTMLElement>('tr')
    if (row == null || !rows().includes(row)) return
    event.preventDefault()
    choose(event.shiftKey ? (range.current?.anchor ?? row) : row, row, true)
  }
}

function lineOf(row: HTMLElement): { before: number | undefined; after: number | undefined; text: string } {
  const numbers = [...row.querySelectorAll('td.code-number')].map((cell) => Number(cell.textContent) || undefined)
  const texts = [...row.querySelectorAll('td.code-text')].map((cell) => cell.textContent)
  const isPair = row.classList.contains('diff-pair')
  const [before, after] = numbers
  const text = isPair && after !== undefined ? texts[1] : texts[0]
  return { before, after, text: text ?? '' }
}
