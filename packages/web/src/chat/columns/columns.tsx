import { CircleCheck, CircleStop, CircleX, LoaderCircle, RotateCw, ShieldAlert, Square, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { modelName } from '../../api/models.ts'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { Button, CopyButton, IconButton } from '../../ui/button.tsx'
import { Group } from '../../ui/elements.tsx'
import { useApp, useWorkspace } from '../../workspace/workspace.ts'
import { FeedbackButtons } from '../feedback/feedback-buttons.tsx'
import { AnswerMarks, AnswerSources } from '../messages/answer-marks.tsx'
import { AnswerParts } from '../messages/answer-parts.tsx'
import { DisclosureContext, SessionContext, useSession, useSessionStore } from '../session/session-context.ts'
import { messageText, visibleMessages } from '../session/session-state.ts'
import type { Column } from '../session/session-types.ts'
import { announceColumns, type ColumnStatus, columnStatus } from './column-status.ts'
import { ColumnDetails } from './column-details.tsx'
import './columns.css'

/** Answers of compared models side by side, or as tabs where there is no room for two. */
export function Columns() {
  const session = useSessionStore()
  const columns = useStore(session.columns, (state) => state.columns)
  const isLive = useSession((state) => state.run !== null)
  const [active, setActive] = useState(0)
  const [group, setGroup] = useState<HTMLElement | null>(null)
  const isNarrow = useNarrow(group)
  const id = useId()
  const regions = useRef(new Map<number, HTMLElement>())
  const shown = Math.min(active, columns.length - 1)

  const go = (index: number, focus: 'column' | 'tab') => {
    const next = Math.max(0, Math.min(index, columns.length - 1))
    setActive(next)
    // A tab's panel exists only after the next render.
    requestAnimationFrame(() =>
      (focus === 'tab' ? document.getElementById(`${id}-tab-${next}`) : regions.current.get(next))?.focus(),
    )
  }
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const digit = /^Digit([1-4])$/.exec(event.code)?.[1]
      const isOurs = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey
      if (digit === undefined || !isOurs || Number(digit) > columns.length) return
      if (document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      go(Number(digit) - 1, 'column')
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })

  // A message that was not sent has no answers to show.
  if (columns.length === 0 || (!isLive && columns[0]?.messageId.startsWith('pending-'))) return null
  return (
    <Group ref={setGroup} className="columns" label={t.columnView.label(columns.length)}>
      <ColumnsBar />
      {isNarrow && (
        <div className="columns-tabs" role="tablist" aria-label={t.columnView.label(columns.length)}>
          {columns.map((column, index) => (
            <ColumnTab
              key={index}
              column={column}
              id={`${id}-tab-${index}`}
              panelId={`${id}-panel-${index}`}
              isActive={index === shown}
              onSelect={() => setActive(index)}
              onMove={(by) => go(index + by, 'tab')}
            />
          ))}
        </div>
      )}
      <div className="columns-grid" data-count={columns.length} data-tabs={isNarrow ? '' : undefined}>
        {columns.map((column, index) =>
          isNarrow && index !== shown ? null : (
            <ColumnView
              key={index}
              column={column}
              position={index + 1}
              panelId={`${id}-panel-${index}`}
              tabId={isNarrow ? `${id}-tab-${index}` : undefined}
              onRegion={(element) => {
                if (element === null) regions.current.delete(index)
                else regions.current.set(index, element)
              }}
              onMove={(by) => go(index + by, 'column')}
            />
          ),
        )}
      </div>
      <ColumnAnnouncer columns={columns} />
    </Group>
  )
}

function ColumnsBar() {
  const { app } = useWorkspace()
  const keeps = useApp((state) => state.keepsComparing)
  return (
    <div className="columns-bar">
      <span>{t.columnView.note}</span>
      <label title={t.columnView.keepAbout}>
        <input type="checkbox" checked={keeps} onChange={(event) => app.setKeepsComparing(event.target.checked)} />
        {t.columnView.keep}
      </label>
    </div>
  )
}

interface ColumnTabProps {
  column: Column
  id: string
  panelId: string
  isActive: boolean
  onSelect: () => void
  onMove: (by: number) => void
}

function ColumnTab({ column, id, panelId, isActive, onSelect, onMove }: ColumnTabProps) {
  const name = useColumnName(column)
  const status = useColumnStatus(column)
  return (
    <button
      type="button"
      role="tab"
      id={id}
      aria-selected={isActive}
      aria-controls={isActive ? panelId : undefined}
      aria-label={t.columnView.tab(name, t.columnView.status[status])}
      tabIndex={isActive ? 0 : -1}
      onClick={onSelect}
      onKeyDown={(event) => {
        const by = arrowStep(event)
        if (by === undefined) return
        event.preventDefault()
        onMove(by)
      }}
    >
      <StatusIcon status={status} />
      <bdi>{name}</bdi>
    </button>
  )
}

interface ColumnViewProps {
  column: Column
  position: number
  panelId: string
  /** Undefined if the columns are side by side. */
  tabId: string | undefined
  onRegion: (element: HTMLElement | null) => void
  onMove: (by: number) => void
}

function ColumnView({ column, position, panelId, tabId, onRegion, onMove }: ColumnViewProps) {
  const name = useColumnName(column)
  const status = useColumnStatus(column)
  const disclosures = useMemo(() => new Map<string, boolean>(), [])
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move between the columns
    <section
      ref={onRegion}
      id={panelId}
      className="column"
      data-status={status}
      role={tabId === undefined ? 'region' : 'tabpanel'}
      aria-label={tabId === undefined ? t.columnView.column(position, name, t.columnView.status[status]) : undefined}
      aria-labelledby={tabId}
      aria-keyshortcuts={`Alt+${position}`}
      tabIndex={-1}
      onKeyDown={(event) => {
        const by = event.target === event.currentTarget ? arrowStep(event) : undefined
        if (by === undefined) return
        event.preventDefault()
        onMove(by)
      }}
    >
      <SessionContext value={column.conversation}>
        <DisclosureContext value={disclosures}>
          <ColumnHead name={name} model={column.model} status={status} />
          <ColumnBody status={status} />
          <ColumnFoot column={column} name={name} status={status} />
        </DisclosureContext>
      </SessionContext>
    </section>
  )
}

function ColumnHead({ name, model, status }: { name: string; model: string; status: ColumnStatus }) {
  const { stop } = useSessionStore()
  const isStopping = useSession((state) => state.run?.stopAskedAt != null)
  return (
    <header className="column-head">
      <h2 title={model}>
        <bdi>{name}</bdi>
      </h2>
      <span className="column-status">
        <StatusIcon status={status} />
        {t.columnView.status[status]}
      </span>
      {(status === 'writing' || status === 'waiting') && (
        <IconButton label={t.columnView.stopOne(name)} disabled={isStopping} onClick={() => void stop()}>
          <Square />
        </IconButton>
      )}
    </header>
  )
}

function ColumnBody({ status }: { status: ColumnStatus }) {
  const stored = useSession((state) => state.messages)
  const run = useSession((state) => state.run)
  const message = useMemo(() => visibleMessages({ messages: stored, run }).at(-1), [stored, run])
  return (
    <article className="column-body" aria-label={t.chat.answer} aria-busy={run !== null}>
      {message !== undefined && (
        <>
          <AnswerParts message={message} progress={run?.progress} />
          <AnswerSources parts={message.parts} />
          <AnswerMarks message={message} last />
        </>
      )}
      {status === 'writing' && (
        <p className="working">
          <span className="working-dots" aria-hidden>
            <i />
            <i />
            <i />
          </span>
          <span className="visually-hidden">{t.chat.writing}</span>
        </p>
      )}
    </article>
  )
}

function ColumnFoot({ column, name, status }: { column: Column; name: string; status: ColumnStatus }) {
  const { pick, regenerate } = useSessionStore()
  const message = useSession((state) => state.messages.at(-1))
  const [isPicking, setPicking] = useState(false)
  const text = messageText(message)
  const isOver = status === 'done' || status === 'stopped' || status === 'failed'
  const canContinue = status === 'done' || status === 'waiting' || (status === 'stopped' && text !== '')
  if (!isOver && !canContinue) return null
  return (
    <footer className="column-foot">
      {canContinue && (
        <Button
          disabled={isPicking}
          onClick={() => {
            setPicking(true)
            void pick(column.messageId).finally(() => setPicking(false))
          }}
        >
          {t.columnView.continue}
        </Button>
      )}
      {isOver && text !== '' && <CopyButton text={text} label={t.chat.copyAnswer} />}
      {isOver && message?.metadata?.error === undefined && (
        <IconButton label={t.columnView.retry(name)} onClick={() => void regenerate(column.messageId)}>
          <RotateCw />
        </IconButton>
      )}
      {isOver && text !== '' && <FeedbackButtons messageId={column.messageId} feedback={message?.metadata?.feedback} />}
      {isOver && <ColumnDetails model={column.model} metadata={message?.metadata} />}
    </footer>
  )
}

/** Says which answers ended. Never reads streamed text. */
function ColumnAnnouncer({ columns }: { columns: readonly Column[] }) {
  const models = useApp((state) => state.models)
  const [said, setSaid] = useState('')
  useEffect(
    () =>
      announceColumns(
        columns,
        (ref) => nameOf(ref, models),
        (text) => setSaid((last) => (text === last ? `${text}\u00A0` : text)),
      ),
    [columns, models],
  )
  return (
    <output className="visually-hidden" aria-live="polite">
      {said}
    </output>
  )
}

const icons: Record<ColumnStatus, ReactNode> = {
  writing: <LoaderCircle className="column-works" aria-hidden />,
  loading: <LoaderCircle className="column-works" aria-hidden />,
  waiting: <ShieldAlert aria-hidden />,
  done: <CircleCheck aria-hidden />,
  failed: <CircleX aria-hidden />,
  stopped: <CircleStop aria-hidden />,
  missing: <Trash2 aria-hidden />,
}

function StatusIcon({ status }: { status: ColumnStatus }) {
  return icons[status]
}

function arrowStep({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): number | undefined {
  if (altKey || ctrlKey || metaKey || shiftKey) return undefined
  const forward = document.documentElement.dir === 'rtl' ? -1 : 1
  return { ArrowRight: forward, ArrowLeft: -forward }[key]
}

/** Outside of the column's own context: any run of the session may still write it. */
function useColumnStatus({ conversation }: Column): ColumnStatus {
  const isLive = useSession((state) => state.run !== null)
  return useStore(conversation, (state) => columnStatus(state, isLive))
}

function useColumnName({ model }: Pick<Column, 'model'>): string {
  return useApp((state) => nameOf(model, state.models))
}

function nameOf(ref: string, models: Parameters<typeof modelName>[0][]): string {
  const known = models.find((model) => model.ref === ref)
  return known === undefined ? ref : modelName(known)
}

/** Too narrow for two columns, in pixels. */
const narrowest = 600

/** Panels beside the chat take room, too, so the width of the window says little. */
function useNarrow(group: HTMLElement | null): boolean {
  const [isNarrow, setNarrow] = useState(() => window.innerWidth < narrowest)
  useEffect(() => {
    if (group === null) return undefined
    const observer = new ResizeObserver(() => setNarrow(group.clientWidth < narrowest))
    observer.observe(group)
    return () => observer.disconnect()
  }, [group])
  return isNarrow
}
