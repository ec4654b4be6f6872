import {
  ChevronRight,
  CircleSlash,
  CornerDownRight,
  Ellipsis,
  File,
  FileImage,
  FileText,
  Folder,
  FolderOpen,
} from 'lucide-react'
import { type CSSProperties, type DragEvent, type MouseEvent, useRef, useState } from 'react'
import { formatSize } from '../texts/format.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import type { FileMark, TreeRow } from './tree-rows.ts'
import './tree-row.css'

interface TreeRowProps {
  id: string
  row: TreeRow
  /** Entries of its folder. */
  setSize: number
  isActive: boolean
  isSelected: boolean
  /** Undefined for what cannot be opened as a folder. */
  isExpanded: boolean | undefined
  /** A drop would go here. */
  isTarget: boolean
  mark: FileMark | 'inside' | undefined
  showsFolder: boolean
  onClick: (event: MouseEvent) => void
  onMenu: (x: number, y: number) => void
  onDragStart: (event: DragEvent) => void
  onDragOver: (event: DragEvent) => void
  onDrop: (event: DragEvent) => void
}

const markLetters: Record<FileMark, string> = {
  conflicted: '!',
  added: 'A',
  untracked: 'U',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
}

export function TreeRowView(props: TreeRowProps) {
  const { id, row, isActive, isSelected, isExpanded, mark, showsFolder, onMenu } = props
  const details = [
    row.kind === 'link' && t.files.linkTo[row.target ?? 'missing'],
    row.kind === 'other' && t.files.special,
    row.ignored === true && t.files.ignored,
    row.size !== undefined && formatSize(row.size),
    mark !== undefined && t.files.marks[mark],
  ].filter((text) => text !== false)
  return (
    // The tree has the keys: it is one stop of the Tab key.
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="treeitem"
      className="tree-row"
      data-row=""
      data-mark={mark}
      data-ignored={row.ignored}
      data-target={props.isTarget}
      aria-level={row.depth + 1}
      aria-setsize={props.setSize}
      aria-posinset={row.position}
      data-active={isActive}
      aria-selected={isSelected}
      aria-expanded={isExpanded}
      title={details.join(' · ')}
      style={{ '--depth': row.depth } as CSSProperties}
      draggable
      onClick={props.onClick}
      onContextMenu={(event) => {
        event.preventDefault()
        event.stopPropagation()
        onMenu(event.clientX, event.clientY)
      }}
      onDragStart={props.onDragStart}
      onDragOver={props.onDragOver}
      onDrop={props.onDrop}
    >
      <ChevronRight className="tree-chevron" data-open={isExpanded} data-none={isExpanded === undefined} aria-hidden />
      <RowIcon row={row} isOpen={isExpanded === true} />
      <span className="tree-name">
        <VisibleText text={row.name} as="name" />
        {row.kind === 'link' && <CornerDownRight className="tree-link" aria-hidden />}
      </span>
      {showsFolder && row.folder !== '' && (
        <span className="tree-folder">
          <VisibleText text={row.folder} as="name" />
        </span>
      )}
      {mark !== undefined && (
        <span className="tree-mark">
          <span aria-hidden>{mark === 'inside' ? '•' : markLetters[mark]}</span>
          <span className="visually-hidden">{t.files.marks[mark]}</span>
        </span>
      )}
      {/* For pointers without a second button. Keys use F10 with Shift. */}
      <span
        className="tree-more"
        aria-hidden
        onClick={(event) => {
          event.stopPropagation()
          onMenu(event.clientX, event.clientY)
        }}
      >
        <Ellipsis />
      </span>
    </div>
  )
}

function RowIcon({ row, isOpen }: { row: TreeRow; isOpen: boolean }) {
  const look = { className: 'tree-icon', 'aria-hidden': true }
  if (row.kind === 'folder' || row.target === 'folder') return isOpen ? <FolderOpen {...look} /> : <Folder {...look} />
  if (row.kind === 'other' || row.target === 'missing' || row.target === 'outside') return <CircleSlash {...look} />
  if (/\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i.test(row.name)) return <FileImage {...look} />
  return /\.(md|markdown|txt|rst)$/i.test(row.name) ? <FileText {...look} /> : <File {...look} />
}

interface NameFieldProps {
  kind: 'file' | 'folder'
  depth: number
  initial: string
  onName: (name: string) => void
  onCancel: () => void
}

/** Field for a name in place of a row. Selects the name without its ending. */
export function NameField({ kind, depth, initial, onName, onCancel }: NameFieldProps) {
  const [name, setName] = useState(initial)
  const isDone = useRef(false)
  const finish = (given: string) => {
    if (isDone.current) return
    isDone.current = true
    // A field has no line breaks, but a name may have some.
    if (given === '' || given === initial.replaceAll(/[\r\n]/g, '').trim()) onCancel()
    else onName(given)
  }
  const label =
    initial !== '' ? t.files.newNameOf(initial) : kind === 'file' ? t.files.newFileName : t.files.newFolderName
  return (
    <div role="none" className="tree-row tree-naming" data-row="" style={{ '--depth': depth } as CSSProperties}>
      <span className="tree-chevron" />
      {kind === 'folder' ? <Folder className="tree-icon" aria-hidden /> : <File className="tree-icon" aria-hidden />}
      <input
        ref={(field) => {
          if (field === null || document.activeElement === field) return
          field.focus()
          const end = kind === 'file' ? initial.lastIndexOf('.') : -1
          field.setSelectionRange(0, end > 0 ? end : initial.length)
        }}
        value={name}
        aria-label={label}
        placeholder={label}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setName(event.target.value)}
        onBlur={() => finish(name.trim())}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') finish(name.trim())
          if (event.key === 'Escape') {
            event.preventDefault()
            finish('')
          }
        }}
      />
    </div>
  )
}
