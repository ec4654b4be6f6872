import { ChevronRight, FileText } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { HunkChoiceContext } from '../displays/parts/hunk-choice.ts'
import { PathName } from '../displays/parts/display-parts.tsx'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { CommentableDiff, type ShownDiff } from './commentable-diff.tsx'
import { placeOf, removeComments, useComments } from './comments.ts'
import './file-section.css'

/** A file as any view shows it. */
export interface SectionFile extends ShownDiff {
  added?: number | undefined
  removed?: number | undefined
  note?: string | undefined
  mode?: string | undefined
}

/** Something to do with a file, or with the chosen ones of its hunks. */
export interface FileAction {
  label: string
  /** The label for some of the hunks. Without it, the action is only for the whole file. */
  some?: (some: number, all: number) => string
  Icon: React.ComponentType
  danger?: boolean
  run: (hunks: readonly string[] | undefined) => void
}

interface FileSectionProps {
  path: string
  /** Key of the mark to show, such as `modified`. */
  mark: string
  from?: string | undefined
  /** Undefined until it is loaded. */
  file: SectionFile | undefined
  isOpen: boolean
  onToggle: () => void
  actions: readonly FileAction[]
  disabled: boolean
  onShowSecret?: () => void
  children?: ReactNode
}

/** One file of a list: a row to open, its actions, and its diff. */
export function FileSection(props: FileSectionProps) {
  const { path, mark, from, file, isOpen, onToggle, actions, disabled } = props
  const { panels } = useSessionStore()
  const title = path.split('/').at(-1) ?? path
  return (
    <li className="change-file" data-open={isOpen || undefined}>
      <div className="change-row">
        <button type="button" className="change-name" aria-expanded={isOpen} onClick={onToggle}>
          <ChevronRight aria-hidden />
          <PathName path={path} />
          {from !== undefined && from !== path && (
            <small>
              ← <VisibleText text={from} as="name" />
            </small>
          )}
          <span className="change-mark" data-mark={mark}>
            {t.changes.marks[mark] ?? mark}
          </span>
          {file !== undefined && (file.added ?? 0) + (file.removed ?? 0) > 0 && (
            <span className="change-counts">
              <span className="diff-count-added">+{file.added}</span>{' '}
              <span className="diff-count-removed">−{file.removed}</span>
            </span>
          )}
        </button>
        <span className="change-actions">
          {mark !== 'deleted' && (
            <IconButton
              label={t.changes.actionsFor(t.changes.openFile, path)}
              onClick={() => panels.open({ kind: 'file', key: path, title, data: { path } })}
            >
              <FileText />
            </IconButton>
          )}
          {actions.map(({ label, Icon, run }) => (
            <IconButton
              key={label}
              label={t.changes.actionsFor(label, path)}
              disabled={disabled}
              onClick={() => run(undefined)}
            >
              <Icon />
            </IconButton>
          ))}
        </span>
      </div>
      {isOpen &&
        (file === undefined ? <p className="change-note">{t.changes.loading}</p> : <Opened {...props} file={file} />)}
      <Comments path={path} />
    </li>
  )
}

function Opened({ file, actions, disabled, onShowSecret, children }: FileSectionProps & { file: SectionFile }) {
  const [unchosen, setUnchosen] = useState<ReadonlySet<string>>(new Set())
  const isDivisible = file.hunks.length > 1 && actions.some(({ some }) => some !== undefined)
  const choice = useMemo(
    () =>
      isDivisible
        ? {
            ids: file.hunks.map(({ id }) => id),
            rejected: unchosen,
            disabled,
            setEditing: () => undefined,
            toggle: (id: string) =>
              setUnchosen((before) => {
                const next = new Set(before)
                if (!next.delete(id)) next.add(id)
                return next
              }),
            unchosenLabel: t.changes.notSelected,
          }
        : null,
    [isDivisible, file, unchosen, disabled],
  )
  const chosen = file.hunks.filter(({ id }) => !unchosen.has(id)).map(({ id }) => id)
  const isSome = isDivisible && chosen.length < file.hunks.length
  return (
    <div className="change-body">
      {file.mode !== undefined && <p className="change-note">{file.mode}</p>}
      {file.note === undefined ? (
        <HunkChoiceContext value={choice}>
          <CommentableDiff file={file} />
        </HunkChoiceContext>
      ) : (
        <p className="change-note">
          {t.changes.notes[file.note] ?? file.note}{' '}
          {file.note === 'secret' && onShowSecret !== undefined && (
            <Button onClick={onShowSecret}>{t.changes.showSecret}</Button>
          )}
        </p>
      )}
      {isSome && chosen.length > 0 && (
        <div className="change-some">
          {actions.map(({ some, label, danger = false, run }) =>
            some === undefined ? null : (
              <Button key={label} kind={danger ? 'danger' : 'plain'} disabled={disabled} onClick={() => run(chosen)}>
                {some(chosen.length, file.hunks.length)}
              </Button>
            ),
          )}
        </div>
      )}
      {children}
    </div>
  )
}

function Comments({ path }: { path: string }) {
  const sessionId = useSession((state) => state.sessionId)
  const comments = useComments(sessionId).filter((comment) => comment.path === path)
  if (comments.length === 0) return null
  return (
    <ul className="change-comments" aria-label={t.comments.own}>
      {comments.map((comment) => (
        <li key={comment.id}>
          <span className="change-place">
            {comment.from === comment.to ? comment.from : `${comment.from}–${comment.to}`}
          </span>
          <span dir="auto">{comment.text}</span>
          <Button
            kind="quiet"
            aria-label={t.comments.remove(placeOf(comment))}
            onClick={() => removeComments(sessionId, [comment.id])}
          >
            {t.ui.remove}
          </Button>
        </li>
      ))}
    </ul>
  )
}
