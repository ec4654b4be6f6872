import {
  Boxes,
  Check,
  ChevronsUpDown,
  Folder,
  FolderClock,
  FolderOpen,
  GitBranchPlus,
  Layers,
  TriangleAlert,
} from 'lucide-react'
import { openProjects } from '../state/panels.ts'
import { useMay } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { currentFolder, useFolders } from '../workspace/folders.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { folderName } from './folder-name.ts'
import './folder-switcher.css'

const shownFolders = 8

/** The folder in view. Its menu leads to the recent ones. */
export function FolderSwitcher() {
  const { app, folders, session } = useWorkspace()
  const recent = useFolders((state) => state.recent)
  const showsAll = useFolders((state) => state.showsAll)
  const current = useFolders(currentFolder)
  const loadedPath = useApp((state) => state.workspacePath)
  const mayOpen = useMay('manage')
  const path = current?.path ?? loadedPath
  const elsewhere = recent?.reduce((sum, one) => (one === current ? sum : sum + one.asks), 0) ?? 0
  // Keeps its place while the name loads.
  if (path === null) return <div className="folder-switcher" aria-hidden />
  const shown = (recent ?? []).filter((one, index) => index < shownFolders || one === current || one.own)
  const items: MenuItem[] = shown.map((one) => ({
    label: folderName(one, recent ?? []),
    icon: one === current ? <Check aria-hidden /> : stateIcon(one.state),
    hint: one === current ? undefined : folderHint(one),
    onSelect: () => folders.show(one.id),
  }))
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="folder-switcher"
          title={path}
          aria-label={t.folders.workingIn(path)}
          onPointerEnter={() => void folders.refresh()}
        >
          <Folder aria-hidden />
          <span>
            <VisibleText text={current?.name ?? lastPart(path)} as="name" />
          </span>
          {elsewhere > 0 && <span className="folder-dot" />}
          <ChevronsUpDown aria-hidden />
        </button>
      }
      items={[
        ...items,
        ...(mayOpen
          ? [
              {
                label: t.folders.openMore,
                icon: <FolderOpen aria-hidden />,
                startsGroup: true,
                onSelect: () => app.setDialog('folders'),
              },
            ]
          : []),
        {
          label: t.folders.projectsMore,
          icon: <Boxes aria-hidden />,
          startsGroup: !mayOpen,
          onSelect: () => openProjects(session(app.getState().sessionId).panels),
        },
        {
          label: t.folders.worktreesMore,
          icon: <GitBranchPlus aria-hidden />,
          onSelect: () => app.setDialog('worktrees'),
        },
        {
          label: showsAll ? t.folders.onlyThis : t.folders.all,
          icon: <Layers aria-hidden />,
          onSelect: () => folders.setShowsAll(!showsAll),
        },
      ]}
    />
  )
}

function stateIcon(state: keyof typeof t.folders.states) {
  if (state === 'ok') return <Folder aria-hidden />
  return state === 'slow' ? <FolderClock aria-hidden /> : <TriangleAlert aria-hidden />
}

/** The most important state of a folder: it needs the user, cannot be used, or is running. */
export function folderHint({
  state,
  asks,
  running,
}: {
  state: keyof typeof t.folders.states
  asks: number
  running: number
}) {
  if (asks > 0) return t.folders.waiting(asks)
  if (state !== 'ok') return t.folders.states[state]
  return running > 0 ? t.folders.running : undefined
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((piece) => piece !== '') ?? path
}
