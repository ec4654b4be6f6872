import { FilePlus, FolderPlus, Search, Upload, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Api } from '../api/api.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { browserStorage } from '../platform/storage.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { createFileActions, type FilesDialog } from './file-actions.ts'
import { FilesDialogs } from './files-dialogs.tsx'
import './files-panel.css'
import { createFileTree, type FileTree } from './tree-store.ts'
import { TreeView } from './tree-view.tsx'
import { useOwnEscape } from './use-own-escape.ts'

/** The folder as a tree, with a filter over all names. */
export function FilesPanel() {
  const { api } = useWorkspace()
  const session = useSessionStore()
  const tree = useFileTree()
  const filter = useStore(tree, (state) => state.filter)
  const found = useStore(tree, (state) => state.found)
  const root = useStore(tree, (state) => state.folders.get(''))
  const naming = useStore(tree, (state) => state.naming)
  const selected = useStore(tree, (state) => state.selected.size)
  const [dialog, setDialog] = useState<FilesDialog>()
  const field = useRef<HTMLInputElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const actions = useMemo(() => createFileActions({ api, tree, session, onDialog: setDialog }), [api, tree, session])
  useEffect(() => tree.show(), [tree])
  useOwnEscape(
    place,
    (target) => target instanceof HTMLInputElement && (target.type !== 'search' || target.value !== ''),
  )
  const focusTree = () => place.current?.querySelector<HTMLElement>('[role=tree]')?.focus()
  const newIn = () => {
    const { active, rows, expanded } = tree.getState()
    const row = rows.find((one) => (one.folder === '' ? one.name : `${one.folder}/${one.name}`) === active)
    if (row === undefined || active === null) return ''
    return expanded.has(active) ? active : row.folder
  }
  const isFiltered = filter.trim() !== ''
  const isEmpty = root !== undefined && root.total === 0 && naming === null

  return (
    <div ref={place} className="files-panel">
      <div className="files-bar">
        <div className="files-filter">
          <Search aria-hidden />
          <input
            ref={field}
            type="search"
            value={filter}
            aria-label={t.files.filter}
            placeholder={t.files.filter}
            autoComplete="off"
            spellCheck={false}
            dir="auto"
            onChange={(event) => tree.setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return
              if (event.key === 'Escape' && filter !== '') {
                event.preventDefault()
                event.stopPropagation()
                tree.setFilter('')
              } else if (event.key === 'ArrowDown' || (event.key === 'Enter' && !isFiltered)) {
                event.preventDefault()
                focusTree()
              } else if (event.key === 'Enter') {
                const first = found?.query === filter.trim() ? found.rows[0] : undefined
                if (first !== undefined) actions.open(first)
              }
            }}
          />
          {isFiltered && (
            <IconButton
              label={t.files.clearFilter}
              onClick={() => {
                tree.setFilter('')
                field.current?.focus()
              }}
            >
              <X />
            </IconButton>
          )}
        </div>
        <IconButton label={t.files.newFile} onClick={() => tree.setNaming({ kind: 'file', folder: newIn() })}>
          <FilePlus />
        </IconButton>
        <IconButton label={t.files.newFolder} onClick={() => tree.setNaming({ kind: 'folder', folder: newIn() })}>
          <FolderPlus />
        </IconButton>
        <IconButton label={t.files.upload} onClick={() => actions.pickUpload(newIn())}>
          <Upload />
        </IconButton>
      </div>
      <output className="visually-hidden">
        {selected > 1
          ? t.files.selectedCount(selected)
          : isFiltered && found !== undefined
            ? t.files.foundCount(found.total)
            : ''}
      </output>
      {root?.problem !== undefined ? (
        <div className="side-panel-none">
          <p>
            <VisibleText text={root.problem} />
          </p>
          <Button onClick={() => void tree.reload('')}>{t.panels.tryAgain}</Button>
        </div>
      ) : isFiltered && found !== undefined && found.rows.length === 0 ? (
        <p className="side-panel-none">{t.files.noMatch}</p>
      ) : isEmpty && !isFiltered ? (
        <div
          className="side-panel-none"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault()
            void actions.upload('', event.dataTransfer)
          }}
        >
          <p>{t.files.empty}</p>
          <Button onClick={() => tree.setNaming({ kind: 'file', folder: '' })}>{t.files.newFile}</Button>
        </div>
      ) : root === undefined && !isFiltered ? (
        <p className="side-panel-none">{t.panels.loading}</p>
      ) : (
        <TreeView
          tree={tree}
          actions={actions}
          found={isFiltered ? (found?.rows ?? []) : undefined}
          onLeaveTop={() => field.current?.focus()}
        />
      )}
      {isFiltered && found !== undefined && found.total > found.rows.length && (
        <p className="side-panel-foot">{t.files.moreFound(found.total - found.rows.length)}</p>
      )}
      {dialog !== undefined && (
        <FilesDialogs dialog={dialog} api={api} tree={tree} actions={actions} onClose={() => setDialog(undefined)} />
      )}
    </div>
  )
}

const trees = new WeakMap<Api, Map<string, FileTree>>()

/** One tree per folder, kept while other panels are in front. */
export function useFileTree(): FileTree {
  const { api } = useWorkspace()
  const folder = useApp((state) => state.workspacePath) ?? ''
  return useMemo(() => {
    const known = trees.get(api) ?? new Map<string, FileTree>()
    trees.set(api, known)
    const tree = known.get(folder) ?? createFileTree(api, browserStorage, `troupe.files.${folder}`)
    known.set(folder, tree)
    return tree
  }, [api, folder])
}
