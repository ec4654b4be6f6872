import { GitBranch, Search } from 'lucide-react'
import { useMemo } from 'react'
import { useStore } from 'zustand'
import { openFind } from '../find/open-find.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { openBranchMap } from './open-branch-map.ts'

/** Ways to look at the session in sight as a whole, where there is something to look at. */
export function BranchesButton() {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const store = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const isEmpty = useStore(store, (state) => state.messages.length === 0)
  if (isEmpty) return null
  return (
    <>
      <IconButton className="header-find" label={t.find.open} onClick={openFind}>
        <Search />
      </IconButton>
      <IconButton label={t.branches.open} onClick={() => openBranchMap(store.panels)}>
        <GitBranch />
      </IconButton>
    </>
  )
}
