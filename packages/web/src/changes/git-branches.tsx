import type { Answered, GitReadyStatus } from '@troupe/protocol'
import { ArrowDown, ArrowUp, ChevronRight, GitBranch } from 'lucide-react'
import { useEffect, useState } from 'react'
import { notice, noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import type { ChangeGit } from './change-data.ts'

interface BranchBarProps {
  status: GitReadyStatus
  busy: boolean
  change: ChangeGit
}

/** The current branch. Opens to switch, create and stash. */
export function BranchBar({ status, busy, change }: BranchBarProps) {
  const { branch } = status
  const [isOpen, setIsOpen] = useState(false)
  const name = branch.name ?? (branch.head === null ? t.changes.detached : branch.head.slice(0, 10))
  return (
    <div className="git-branch">
      <button
        type="button"
        className="git-branch-name"
        aria-expanded={isOpen}
        aria-label={t.changes.branch(name)}
        onClick={() => setIsOpen(!isOpen)}
      >
        <ChevronRight aria-hidden />
        <GitBranch aria-hidden />
        <VisibleText text={name} as="name" />
        {branch.ahead > 0 && (
          <span title={t.changes.ahead(branch.ahead)}>
            <ArrowUp aria-hidden />
            {branch.ahead}
          </span>
        )}
        {branch.behind > 0 && (
          <span title={t.changes.behind(branch.behind)}>
            <ArrowDown aria-hidden />
            {branch.behind}
          </span>
        )}
      </button>
      {isOpen && <Branches status={status} busy={busy} change={change} />}
    </div>
  )
}

interface Lists {
  branches: Answered<'GET /ai/git/branches'>['branches']
  stashes: Answered<'GET /ai/git/stashes'>['stashes']
}

function Branches({ status, busy, change }: BranchBarProps) {
  const { api } = useWorkspace()
  const [lists, setLists] = useState<Lists>()
  const [created, setCreated] = useState('')
  const [stashName, setStashName] = useState('')
  const [withNew, setWithNew] = useState(true)
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    Promise.all([api.call('GET /ai/git/branches', { signal }), api.call('GET /ai/git/stashes', { signal })]).then(
      ([{ branches }, { stashes }]) => setLists({ branches, stashes }),
      (error: unknown) => {
        if (!signal.aborted) noticeError(error)
      },
    )
    return () => abort.abort()
    // Every change of git answers a new status.
  }, [api, status])
  const switchTo = (name: string) =>
    change(async () => {
      const done = await api.call('POST /ai/git/switch', { body: { name } })
      notice(t.changes.switched(name))
      return done.status
    })
  const create = () =>
    change(async () => {
      const done = await api.call('POST /ai/git/branches', { body: { name: created.trim() } })
      notice(t.changes.switched(created.trim()))
      setCreated('')
      return done.status
    })
  const stash = () =>
    change(async () => {
      const body = { untracked: withNew, ...(stashName.trim() !== '' && { message: stashName.trim() }) }
      const done = await api.call('POST /ai/git/stashes', { body })
      notice(t.changes.stashed)
      setStashName('')
      return done.status
    })
  const pop = (id: string) =>
    change(async () => {
      const done = await api.call('POST /ai/git/stashes/pop', { body: { id } })
      notice(t.changes.popped)
      return done.status
    })
  const { counts } = status
  const current = status.branch.name ?? ''
  return (
    <div className="git-branches">
      <label>
        <span>{t.changes.switchTo}</span>
        <select value={current} disabled={busy} onChange={(event) => void switchTo(event.target.value)}>
          {status.branch.name === null && <option value="">{t.changes.detached}</option>}
          {status.branch.name !== null && !lists?.branches.some(({ name, remote }) => !remote && name === current) && (
            <option value={current}>{current}</option>
          )}
          {lists?.branches.map(({ name, remote }) => (
            <option key={`${remote} ${name}`} value={name}>
              {remote ? `${name} (${t.changes.remote})` : name}
            </option>
          ))}
        </select>
      </label>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (created.trim() !== '') void create()
        }}
      >
        <input
          aria-label={t.changes.newBranch}
          placeholder={t.changes.newBranch}
          value={created}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setCreated(event.target.value)}
        />
        <Button type="submit" disabled={busy || created.trim() === ''}>
          {t.changes.createBranch}
        </Button>
      </form>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void stash()
        }}
      >
        <input
          aria-label={t.changes.stashName}
          placeholder={t.changes.stashName}
          dir="auto"
          value={stashName}
          onChange={(event) => setStashName(event.target.value)}
        />
        <Button
          type="submit"
          disabled={busy || counts.staged + counts.unstaged + (withNew ? counts.untracked : 0) === 0}
        >
          {t.changes.stash}
        </Button>
        <label className="git-check">
          <input type="checkbox" checked={withNew} onChange={(event) => setWithNew(event.target.checked)} />
          {t.changes.withUntracked}
        </label>
      </form>
      {lists !== undefined && lists.stashes.length > 0 && (
        <ul aria-label={t.changes.stashes}>
          {lists.stashes.map(({ id, text, createdAt }) => (
            <li key={id}>
              <span>
                <VisibleText text={text} as="name" />
              </span>
              <small>
                <Moment time={createdAt} />
              </small>
              <Button disabled={busy} aria-label={t.changes.popLabel(text)} onClick={() => void pop(id)}>
                {t.changes.pop}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
