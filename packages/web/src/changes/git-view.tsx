import type { GitDiff, GitFile, GitReadyStatus, GitStatus } from '@troupe/protocol'
import { Minus, Plus, Undo2 } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useSession } from '../chat/session/session-context.ts'
import { TrustButton } from '../settings/trust-button.tsx'
import { noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { type ChangeGit, useChanges } from './change-data.ts'
import { CommitForm } from './commit-form.tsx'
import { GrowingList, useFilter, useOpenFiles } from './file-list.tsx'
import { type FileAction, FileSection } from './file-section.tsx'
import { BranchBar } from './git-branches.tsx'
import './git-view.css'
import { Failure, FilterField } from './panel-parts.tsx'
import { reportRevert } from './report.ts'

/** The working tree and what is staged. */
export function GitView({ refreshed }: { refreshed: number }) {
  const { api } = useWorkspace()
  const read = useCallback(
    (signal: AbortSignal): Promise<GitStatus> =>
      refreshed < 0 ? Promise.resolve({ state: 'none' }) : api.call('GET /ai/git/status', { signal }),
    [api, refreshed],
  )
  const { value: status, failure, refresh } = useChanges(read)
  const [busy, setBusy] = useState(false)
  /** Runs one change at a time, and shows the status that it answers. */
  const change = async (work: () => Promise<GitStatus | undefined>): Promise<boolean> => {
    setBusy(true)
    try {
      refresh(await work())
      return true
    } catch (error) {
      noticeError(error)
      refresh()
      return false
    } finally {
      setBusy(false)
    }
  }
  if (status === undefined) return <Failure failure={failure} onRetry={() => refresh()} />
  if (status.state !== 'ready')
    return (
      <div className="side-panel-none">
        <p>{t.changes.gitStates[status.state]}</p>
        {status.gitDir !== undefined && (
          <p>
            {t.changes.gitDir}{' '}
            <code>
              <VisibleText text={status.gitDir} as="name" />
            </code>
          </p>
        )}
      </div>
    )
  return <ReadyView status={status} busy={busy} change={change} onChanged={() => refresh()} />
}

interface ReadyViewProps {
  status: GitReadyStatus
  busy: boolean
  change: ChangeGit
  onChanged: () => void
}

function ReadyView({ status, busy, change, onChanged }: ReadyViewProps) {
  const { api } = useWorkspace()
  const { files, counts, trusted, operation } = status
  const staged = files.filter((file) => file.staged !== undefined)
  const unstaged = files.filter((file) => file.unstaged !== undefined)
  const filter = useFilter(files)
  const isShown = (file: GitFile): boolean => filter.items.includes(file)
  const listed = new Set(files.map(({ path }) => path)).size
  const total = counts.staged + counts.unstaged + counts.untracked + counts.conflicts

  const move = (route: 'stage' | 'unstage', moved: readonly GitFile[]) =>
    change(async () => {
      const body = { files: moved.filter(isUsable).flatMap(partsOf) }
      return (await api.call(`POST /ai/git/${route}`, { body })).status
    })

  return (
    <>
      <BranchBar status={status} busy={busy} change={change} />
      {operation !== undefined && <p className="change-note git-warning">{t.changes.operation(operation)}</p>}
      {!trusted && (
        <div className="change-note git-trust">
          <p>{t.changes.untrusted}</p>
          <TrustButton onTrusted={onChanged} />
        </div>
      )}
      {files.length === 0 && <p className="side-panel-none">{t.changes.clean}</p>}
      {files.length > 8 && (
        <div className="changes-bar">
          <FilterField filter={filter} count={files.length} />
        </div>
      )}
      {(counts.staged > 0 || status.stagedElsewhere > 0) && (
        <section className="git-group" aria-label={t.changes.staged}>
          <GroupHead
            title={t.changes.staged}
            count={counts.staged}
            action={t.changes.unstageAll}
            disabled={busy || staged.length === 0}
            onAction={() => void move('unstage', staged)}
          />
          <FileList files={staged.filter(isShown)} isStaged busy={busy} change={change} onChanged={onChanged} />
          <CommitForm status={status} busy={busy} change={change} />
        </section>
      )}
      {unstaged.length > 0 && (
        <section className="git-group" aria-label={t.changes.unstaged}>
          <GroupHead
            title={t.changes.unstaged}
            count={counts.unstaged + counts.untracked + counts.conflicts}
            action={t.changes.stageAll}
            disabled={busy}
            onAction={() => void move('stage', unstaged)}
          />
          <FileList
            files={unstaged.filter(isShown)}
            isStaged={false}
            busy={busy}
            change={change}
            onChanged={onChanged}
          />
        </section>
      )}
      {status.isCut && <p className="change-note">{t.changes.moreListed(Math.max(1, total - listed))}</p>}
    </>
  )
}

function isUsable(file: GitFile): boolean {
  return file.badName !== true
}

/** A renamed file is two paths. */
function partsOf({ path, from }: GitFile): { path: string }[] {
  return from === undefined || from.startsWith('../') ? [{ path }] : [{ path }, { path: from }]
}

interface GroupHeadProps {
  title: string
  count: number
  action: string
  disabled: boolean
  onAction: () => void
}

function GroupHead({ title, count, action, disabled, onAction }: GroupHeadProps) {
  return (
    <div className="git-group-head">
      <h2>{title}</h2>
      <span>{t.changes.files(count)}</span>
      <Button kind="quiet" disabled={disabled} onClick={onAction}>
        {action}
      </Button>
    </div>
  )
}

interface FileListProps {
  files: readonly GitFile[]
  isStaged: boolean
  busy: boolean
  change: ChangeGit
  onChanged: () => void
}

function FileList({ files, isStaged, busy, change, onChanged }: FileListProps) {
  const open = useOpenFiles(
    files.map(({ path }) => path),
    2,
  )
  return (
    <GrowingList label={isStaged ? t.changes.staged : t.changes.unstaged} items={files}>
      {(file) => (
        <FileEntry
          key={file.path}
          entry={file}
          isStaged={isStaged}
          isOpen={open.isOpen(file.path)}
          onToggle={() => open.toggle(file.path)}
          busy={busy}
          change={change}
          onChanged={onChanged}
        />
      )}
    </GrowingList>
  )
}

interface FileEntryProps extends Omit<FileListProps, 'files'> {
  entry: GitFile
  isOpen: boolean
  onToggle: () => void
}

/** Loads the diff when it is opened, and again when the status changes. */
function FileEntry({ entry, isStaged, isOpen, onToggle, busy, change, onChanged }: FileEntryProps) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const isNew = useSession((state) => state.phase === 'new')
  const [secret, setSecret] = useState(false)
  const [diff, setDiff] = useState<GitDiff>()
  const { path, from } = entry
  const load = useCallback(
    async (signal?: AbortSignal): Promise<GitDiff | undefined> => {
      // Git tells a rename only if it sees both names.
      const paths = isStaged && from !== undefined && !from.startsWith('../') ? [path, from] : [path]
      const body = { paths, staged: isStaged, ...(secret && { secret: true as const }) }
      const { files } = await api.call('POST /ai/git/diff', { body, signal })
      return files.find((file) => file.path === path)
    },
    [api, path, from, isStaged, secret],
  )
  useEffect(() => {
    if (!isOpen || entry.badName === true) return
    const abort = new AbortController()
    load(abort.signal).then(setDiff, (error: unknown) => {
      if (!abort.signal.aborted) noticeError(error)
    })
    return () => abort.abort()
  }, [isOpen, load, entry])

  const move = (route: 'stage' | 'unstage') => (hunks: readonly string[] | undefined) =>
    void change(async () => {
      const files = hunks === undefined ? partsOf(entry) : [{ path, hunks: [...hunks] }]
      return (await api.call(`POST /ai/git/${route}`, { body: { files } })).status
    })
  const discard = (hunks: readonly string[] | undefined) =>
    void change(async () => {
      const shown = diff ?? (await load())
      if (shown === undefined) return undefined
      const body = {
        files: [{ path, version: shown.version, ...(hunks !== undefined && { hunks: [...hunks] }) }],
        ...(!isNew && { sessionId }),
      }
      const done = await api.call('POST /ai/git/discard', { body })
      reportRevert(done, { api, text: t.changes.discarded, onUndone: onChanged })
      return done.status
    })
  const actions: FileAction[] = isStaged
    ? [{ label: t.changes.unstage, some: t.changes.unstageSome, Icon: Minus, run: move('unstage') }]
    : [
        { label: t.changes.discard, some: t.changes.discardSome, Icon: Undo2, danger: true, run: discard },
        { label: t.changes.stage, some: t.changes.stageSome, Icon: Plus, run: move('stage') },
      ]
  const mark = entry.conflicted === true ? 'conflicted' : ((isStaged ? entry.staged : entry.unstaged) ?? 'modified')
  if (entry.badName === true)
    return (
      <li className="change-file">
        <p className="change-note">
          <VisibleText text={path} as="name" />: {t.changes.badName}
        </p>
      </li>
    )
  return (
    <FileSection
      path={path}
      mark={mark}
      from={isStaged ? entry.from : undefined}
      file={diff}
      isOpen={isOpen}
      onToggle={onToggle}
      actions={entry.submodule === true ? actions.filter(({ label }) => label !== t.changes.discard) : actions}
      disabled={busy}
      onShowSecret={() => setSecret(true)}
    />
  )
}
