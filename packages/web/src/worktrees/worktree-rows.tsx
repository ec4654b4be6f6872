import { GitBranch } from 'lucide-react'
import { useCallback, useEffect } from 'react'
import { useServerData } from '../settings/section-parts.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './worktree-rows.css'

const refreshMs = 15_000

/** The worktrees of the folder with what they change, below the list of its chats. Nothing if it has none. */
export function WorktreeRows() {
  const { api, app, folders } = useWorkspace()
  const here = useApp((state) => state.workspacePath)
  const { value, again } = useServerData(useCallback(() => api.worktrees(), [api]))
  const count = value?.worktrees.length ?? 0
  useEffect(() => {
    if (count === 0) return undefined
    const timer = setInterval(() => document.visibilityState === 'visible' && void again(), refreshMs)
    return () => clearInterval(timer)
  }, [again, count])
  if (value === null || count === 0) return null
  const show = async (workspaceId: string) => {
    await folders.refresh()
    folders.show(workspaceId)
  }
  return (
    <section className="worktree-list" aria-label={t.worktrees.title}>
      <header>
        <h2>{t.worktrees.title}</h2>
        <button type="button" onClick={() => app.setDialog('worktrees')}>
          {t.worktrees.manage}
        </button>
      </header>
      <ul>
        {value.parent.path !== here && (
          <li>
            <button type="button" onClick={() => void show(value.parent.workspaceId)}>
              <GitBranch aria-hidden />
              <span>{t.worktrees.openParent}</span>
            </button>
          </li>
        )}
        {value.worktrees.map(({ id, workspaceId, name, path, added, removed }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={path === here ? 'page' : undefined}
              onClick={() => void show(workspaceId)}
            >
              <GitBranch aria-hidden />
              <span>
                <VisibleText text={name} as="name" />
              </span>
              {added + removed > 0 && (
                <small>
                  <ins>+{added}</ins> <del>−{removed}</del>
                </small>
              )}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
