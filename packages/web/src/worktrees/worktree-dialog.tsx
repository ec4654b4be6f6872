import {
  ArrowUpFromLine,
  Ellipsis,
  GitCommitHorizontal,
  GitMerge,
  GitPullRequest,
  RefreshCw,
  Trash2,
} from 'lucide-react'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import type { Worktree } from '@troupe/protocol'
import { ApiError, toErrorInfo } from '../api/request.ts'
import { ActionFailure, ServerDataStatus, useServerData } from '../settings/section-parts.tsx'
import { TrustButton } from '../settings/trust-button.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Menu } from '../ui/menu.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './worktree-dialog.css'
import { LossesList, readLosses, type WorktreeLosses } from './worktree-losses.tsx'
import { NewWorktree, SetupCommand } from './worktree-forms.tsx'

/** Makes chats with a working tree of their own, and brings their work back. */
export function WorktreeDialog() {
  const { api, app, folders } = useWorkspace()
  const dialog = useRef<HTMLDialogElement>(null)
  const listed = useServerData(useCallback(() => api.worktrees(), [api]))
  const [busy, setBusy] = useState<string | null>(null)
  const [failure, setFailure] = useState<{ name: string; message: string } | null>(null)
  const [outcome, setOutcome] = useState<ReactNode>('')
  const [conflict, setConflict] = useState<{ worktree: Worktree; files: string[] } | null>(null)
  const [discarding, setDiscarding] = useState<{ worktree: Worktree; losses: WorktreeLosses } | null>(null)

  const show = async (workspaceId: string) => {
    await folders.refresh()
    folders.show(workspaceId)
    dialog.current?.close()
  }
  const act = async (name: string, work: () => Promise<ReactNode>) => {
    setBusy(name)
    setFailure(null)
    setConflict(null)
    setOutcome('')
    try {
      setOutcome(await work())
      await listed.again()
    } catch (error) {
      setFailure(toErrorInfo(error))
    } finally {
      setBusy(null)
    }
  }
  const merge = (worktree: Worktree, squash: boolean) =>
    act(worktree.id, async () => {
      try {
        const { base } = await api.mergeWorktree(worktree.id, squash)
        return t.worktrees.merged(worktree.name, base)
      } catch (error) {
        const files = conflictFiles(error)
        if (files === null) throw error
        setConflict({ worktree, files })
        return ''
      }
    })
  const update = (worktree: Worktree) =>
    act(worktree.id, async () => {
      const { conflicts } = await api.updateWorktree(worktree.id)
      if (conflicts.length === 0) return t.worktrees.updated(worktree.name)
      setConflict({ worktree, files: conflicts })
      return ''
    })
  const resolve = (worktree: Worktree) =>
    act(worktree.id, async () => {
      const { conflicts } = await api.updateWorktree(worktree.id)
      await show(worktree.workspaceId)
      const files = conflicts.map((file) => `- ${file}`).join('\n')
      const prompt = t.worktrees.resolvePrompt(worktree.base ?? worktree.start, files)
      if (conflicts.length > 0) folders.workspace(worktree.workspaceId).sendAsNew(prompt, [])
      return ''
    })
  const discard = (worktree: Worktree, force: boolean) =>
    act(worktree.id, async () => {
      try {
        const { kept } = await api.discardWorktree(worktree.id, force)
        await folders.remove(worktree.workspaceId)
        return kept === null ? t.worktrees.discarded : t.worktrees.kept(kept)
      } catch (error) {
        if (!(error instanceof ApiError) || error.name !== 'WorktreeUnsaved') throw error
        setDiscarding({ worktree, losses: readLosses(error.data) })
        return ''
      }
    })
  const request = (worktree: Worktree) =>
    act(worktree.id, async () => {
      const { url } = await api.openPullRequest(worktree.id, { title: worktree.name, body: '' })
      return (
        <a href={url} target="_blank" rel="noreferrer">
          {t.worktrees.opened(url)}
        </a>
      )
    })
  const isElsewhere = listed.value !== null && listed.value.parent.path !== app.getState().workspacePath

  return (
    <Dialog
      ref={dialog}
      className="worktree-dialog"
      title={t.worktrees.title}
      onClose={() => {
        if (app.getState().dialog === 'worktrees') app.setDialog(null)
      }}
    >
      <p className="dialog-text">{t.worktrees.about}</p>
      {listed.value !== null && (
        <>
          <NewWorktree
            isBusy={busy !== null}
            onCreate={(name, base) =>
              act('new', async () => {
                const { worktree } = await api.createWorktree({ name, base: base === '' ? undefined : base })
                await show(worktree.workspaceId)
                folders.workspace(worktree.workspaceId).app.newSession()
                return ''
              })
            }
          />
          <SetupCommand
            key={listed.value.setup.command ?? ''}
            setup={listed.value.setup}
            onSave={(command) =>
              act('setup', async () => {
                await api.setWorktreeSetup(command)
                return t.worktrees.setupSaved
              })
            }
          />
        </>
      )}
      <output className="worktree-outcome">{outcome}</output>
      {failure !== null && <ActionFailure failure={failure.message} />}
      {failure?.name === 'NeedsTrust' && <TrustButton onTrusted={() => setFailure(null)} />}
      {conflict !== null && (
        <div className="worktree-conflict" role="alert">
          <p>{t.worktrees.conflict}</p>
          <ul>
            {conflict.files.slice(0, 20).map((file) => (
              <li key={file}>
                <VisibleText text={file} as="name" />
              </li>
            ))}
          </ul>
          <Button kind="primary" disabled={busy !== null} onClick={() => void resolve(conflict.worktree)}>
            {t.worktrees.resolve}
          </Button>
        </div>
      )}
      <ServerDataStatus asked={listed} />
      {isElsewhere && listed.value !== null && (
        <Button onClick={() => void show(listed.value!.parent.workspaceId)}>
          <ArrowUpFromLine aria-hidden />
          {t.worktrees.openParent}
        </Button>
      )}
      {listed.value?.worktrees.length === 0 && <p className="settings-none">{t.worktrees.none}</p>}
      {listed.value !== null && listed.value.worktrees.length > 0 && (
        <ul className="worktree-rows" aria-label={t.worktrees.list}>
          {listed.value.worktrees.map((worktree) => (
            <li key={worktree.id} aria-busy={busy === worktree.id}>
              <WorktreeFacts worktree={worktree} isHere={worktree.path === app.getState().workspacePath} />
              <span className="worktree-actions">
                <Button
                  aria-label={t.worktrees.openNamed(worktree.name)}
                  disabled={busy !== null || worktree.state === 'missing'}
                  onClick={() => void show(worktree.workspaceId)}
                >
                  {t.worktrees.open}
                </Button>
                <Button
                  kind="primary"
                  aria-label={t.worktrees.mergeNamed(worktree.name)}
                  disabled={busy !== null || !canMerge(worktree)}
                  onClick={() => void merge(worktree, false)}
                >
                  <GitMerge aria-hidden />
                  {t.worktrees.merge}
                </Button>
                <Menu
                  align="end"
                  trigger={
                    <button
                      type="button"
                      className="icon-button"
                      aria-label={t.worktrees.actionsOf(worktree.name)}
                      disabled={busy !== null}
                    >
                      <Ellipsis />
                    </button>
                  }
                  items={[
                    ...(canMerge(worktree)
                      ? [
                          {
                            label: t.worktrees.squash,
                            icon: <GitCommitHorizontal aria-hidden />,
                            onSelect: () => void merge(worktree, true),
                          },
                        ]
                      : []),
                    ...(worktree.behind > 0
                      ? [
                          {
                            label: t.worktrees.update,
                            icon: <RefreshCw aria-hidden />,
                            onSelect: () => void update(worktree),
                          },
                        ]
                      : []),
                    ...(listed.value?.forge === true
                      ? [
                          {
                            label: t.worktrees.pullRequest,
                            icon: <GitPullRequest aria-hidden />,
                            onSelect: () => void request(worktree),
                          },
                        ]
                      : []),
                    {
                      label: t.worktrees.discard,
                      icon: <Trash2 aria-hidden />,
                      danger: true,
                      startsGroup: true,
                      onSelect: () => void discard(worktree, false),
                    },
                  ]}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      {discarding !== null && (
        <ConfirmDialog
          title={t.worktrees.discardTitle}
          confirm={t.worktrees.discardConfirm}
          onConfirm={() => void discard(discarding.worktree, true)}
          onClose={() => setDiscarding(null)}
        >
          <p>{t.worktrees.discardText}</p>
          <LossesList losses={discarding.losses} />
        </ConfirmDialog>
      )}
    </Dialog>
  )
}

function canMerge({ state, base, files, ahead, uncommitted }: Worktree): boolean {
  return state === 'ready' && base !== undefined && (files > 0 || ahead > 0 || uncommitted > 0)
}

function conflictFiles(error: unknown): string[] | null {
  if (!(error instanceof ApiError) || error.name !== 'MergeConflict') return null
  const { files } = error.data as { files?: unknown }
  return Array.isArray(files) ? files.map(String) : []
}

function WorktreeFacts({ worktree, isHere }: { worktree: Worktree; isHere: boolean }) {
  const { name, branch, base, start, state, files, added, removed, behind, setup } = worktree
  return (
    <div className="worktree-facts">
      <strong>
        <VisibleText text={name} as="name" />
        {isHere && <span className="badge">{t.worktrees.here}</span>}
      </strong>
      <small>
        <VisibleText text={t.worktrees.into(branch, base ?? start.slice(0, 8))} as="name" />
      </small>
      <small className="worktree-counts">
        {state === 'missing' && t.worktrees.missing}
        {state === 'ready' && files === 0 && t.worktrees.unchanged}
        {state === 'ready' && files > 0 && (
          <>
            {t.worktrees.files(files)} <ins>+{added}</ins> <del>−{removed}</del>
          </>
        )}
        {behind > 0 && <span> {t.worktrees.behind(behind)}</span>}
      </small>
      {setup !== undefined && setup.state !== 'done' && (
        <details className="worktree-setup-run">
          <summary>
            {
              {
                running: t.worktrees.setupRunning,
                failed: t.worktrees.setupFailed,
                interrupted: t.worktrees.setupInterrupted,
              }[setup.state]
            }
          </summary>
          <pre aria-label={t.worktrees.setupOutput}>
            <VisibleText text={`$ ${setup.command}\n${setup.output}`} />
          </pre>
        </details>
      )}
    </div>
  )
}
