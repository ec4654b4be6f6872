import { CornerLeftUp, Folder, FolderClock, FolderGit2, FolderOpen, TriangleAlert, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { RecentFolder } from '@troupe/protocol'
import { toErrorInfo } from '../api/request.ts'
import { notice } from '../state/notices.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { focusOnMount } from '../ui/focus.ts'
import { useFolders } from '../workspace/folders.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { folderName } from './folder-name.ts'
import './folder-dialog.css'
import { folderHint } from './folder-switcher.tsx'
import { completeTyped, isPath, parentOf } from './typed-path.ts'
import { type Completion, useCompletion } from './use-completion.ts'

/** Opens a folder: a recent one, a typed path, or one found by browsing. */
export function FolderDialog() {
  const { app, folders } = useWorkspace()
  const dialog = useRef<HTMLDialogElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const [failure, setFailure] = useState<{ path: string; text: string; canCreate: boolean } | null>(null)
  const [isOpening, setOpening] = useState(false)
  const recent = useFolders((state) => state.recent) ?? []
  const completion = useCompletion(typed)
  const browses = isPath(typed)
  const matches = recent.filter(({ name, path }) =>
    `${name} ${path}`.toLowerCase().includes(typed.trim().toLowerCase()),
  )

  useEffect(() => void folders.refresh(), [folders])
  const change = (next: string) => {
    setTyped(next)
    setFailure(null)
  }
  const open = async (path: string, create = false) => {
    setOpening(true)
    try {
      await folders.open(path, { create })
      dialog.current?.close()
    } catch (error) {
      const { name, message } = toErrorInfo(error)
      setFailure({ path, text: message, canCreate: name === 'BadWorkspace' && !create })
      setOpening(false)
    }
  }
  const show = ({ id }: RecentFolder) => {
    dialog.current?.close()
    app.setDialog(null)
    folders.show(id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const completed = completeTyped(typed, completion?.entries ?? [])
    if (event.key === 'Tab' && !event.shiftKey && browses && completed !== typed) {
      event.preventDefault()
      change(completed)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (browses) void open(typed)
      else if (matches[0] !== undefined) show(matches[0])
    }
  }

  return (
    <Dialog
      ref={dialog}
      className="folder-dialog"
      title={t.folders.open}
      onClose={() => {
        if (app.getState().dialog === 'folders') app.setDialog(null)
      }}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys between the field and the rows */}
      <div ref={body} className="folder-dialog-body" onKeyDown={(event) => moveBetweenRows(event, body.current)}>
        <div className="folder-field">
          <input
            ref={focusOnMount}
            type="text"
            dir="ltr"
            aria-label={t.folderDialog.field}
            placeholder={t.folderDialog.placeholder}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => change(event.target.value)}
            onKeyDown={onKeyDown}
          />
          <Button kind="primary" disabled={!browses || isOpening} onClick={() => void open(typed)}>
            {t.folderDialog.open}
          </Button>
        </div>
        {failure !== null && (
          <p className="folder-failure" role="alert">
            <VisibleText text={failure.text} />
            {failure.canCreate && (
              <Button onClick={() => void open(failure.path, true)}>{t.folderDialog.create}</Button>
            )}
          </p>
        )}
        {browses ? (
          <Browse completion={completion} onBrowse={change} onOpen={(path) => void open(path)} />
        ) : (
          <>
            <Rows title={t.folders.recent} none={t.folderDialog.none}>
              {matches.map((one) => (
                <RecentRow key={one.id} folder={one} onShow={() => show(one)} />
              ))}
            </Rows>
            {typed === '' && <Places onBrowse={change} />}
          </>
        )}
      </div>
    </Dialog>
  )
}

function RecentRow({ folder, onShow }: { folder: RecentFolder; onShow: () => void }) {
  const { folders, folder: current } = useWorkspace()
  const isHere = folder.own ? current === null : folder.id === current
  const Icon = folder.state === 'ok' ? Folder : folder.state === 'slow' ? FolderClock : TriangleAlert
  const hint = folderHint(folder) ?? (folder.chats > 0 ? t.folderDialog.chats(folder.chats) : undefined)
  return (
    <Row
      icon={<Icon aria-hidden />}
      name={folderName(folder, [])}
      path={folder.path}
      hint={isHere ? t.folderDialog.here : hint}
      isWaiting={folder.asks > 0 && !isHere}
      onSelect={onShow}
    >
      {!folder.own && (
        <IconButton
          label={t.folderDialog.remove(folder.name)}
          onClick={() => void folders.remove(folder.id).then(() => notice(t.folderDialog.removed))}
        >
          <X />
        </IconButton>
      )}
    </Row>
  )
}

function Places({ onBrowse }: { onBrowse: (path: string) => void }) {
  const roots = useFolders((state) => state.roots)
  return (
    <Rows title={t.folderDialog.places} none="">
      {roots.map((root) => (
        <Row
          key={root}
          icon={<FolderOpen aria-hidden />}
          name={root}
          onSelect={() => onBrowse(root.endsWith('/') ? root : `${root}/`)}
        />
      ))}
    </Rows>
  )
}

function Browse({
  completion,
  onBrowse,
  onOpen,
}: {
  completion: Completion | null
  onBrowse: (path: string) => void
  onOpen: (path: string) => void
}) {
  if (completion === null) return <p className="folder-none">{t.ui.loading}</p>
  const { folder, state, entries, isCut } = completion
  if (state !== 'ok') return <p className="folder-none">{t.folderDialog[state]}</p>
  const up = folder === null ? undefined : parentOf(folder)
  return (
    <>
      <Rows
        title={folder === null ? t.folderDialog.places : t.folderDialog.inside(folder)}
        none={t.folderDialog.noneInside}
        first={
          up !== undefined && (
            <Row icon={<CornerLeftUp aria-hidden />} name={t.folderDialog.up} onSelect={() => onBrowse(up)} />
          )
        }
      >
        {entries.map((entry) => (
          <Row
            key={entry.path}
            icon={entry.git ? <FolderGit2 aria-hidden /> : <Folder aria-hidden />}
            name={entry.name}
            onSelect={() => onBrowse(`${entry.path}/`)}
          >
            <Button kind="quiet" aria-label={t.folderDialog.openNamed(entry.name)} onClick={() => onOpen(entry.path)}>
              {t.folderDialog.open}
            </Button>
          </Row>
        ))}
      </Rows>
      {isCut && <p className="folder-none">{t.folderDialog.cut}</p>}
    </>
  )
}

function Rows({
  title,
  none,
  first,
  children,
}: {
  title: string
  none: string
  first?: ReactNode
  children: ReactNode[]
}) {
  return (
    <section className="folder-rows" aria-label={title}>
      <h3>
        <VisibleText text={title} as="name" />
      </h3>
      <ul>
        {first}
        {children}
      </ul>
      {children.length === 0 && none !== '' && <p className="folder-none">{none}</p>}
      <output className="visually-hidden">{t.folderDialog.count(children.length)}</output>
    </section>
  )
}

interface RowProps {
  icon: ReactNode
  name: string
  path?: string
  hint?: string | undefined
  isWaiting?: boolean
  onSelect: () => void
  children?: ReactNode
}

function Row({ icon, name, path, hint, isWaiting = false, onSelect, children }: RowProps) {
  return (
    <li className="folder-row">
      <button type="button" className="folder-row-open" onClick={onSelect}>
        {icon}
        <span className="folder-row-name">
          <VisibleText text={name} as="name" />
        </span>
        {path !== undefined && (
          <span className="folder-row-path">
            <VisibleText text={path} as="name" />
          </span>
        )}
        {hint !== undefined && (
          <span className="folder-row-hint" data-waiting={isWaiting}>
            {hint}
          </span>
        )}
      </button>
      {children}
    </li>
  )
}

function moveBetweenRows(event: KeyboardEvent, around: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || event.nativeEvent.isComposing || around === null) return
  const stops = [...around.querySelectorAll<HTMLElement>('.folder-field input, .folder-row-open')]
  const next = stops[stops.indexOf(event.target as HTMLElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
