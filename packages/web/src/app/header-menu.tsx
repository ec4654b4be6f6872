import { Bot, Ellipsis, FileDiff, GitBranch, Inbox, PanelRight, PieChart, Search, SquarePen } from 'lucide-react'
import { useStore } from 'zustand'
import { agentPanel } from '../chat/session/sub-agents.ts'
import { openFind } from '../find/find.tsx'
import { type Keys, keyText } from '../platform/keyboard.ts'
import { loadSessionMenu, useSessionMenu } from '../sessions/session-row.tsx'
import type { TitleMode } from '../sessions/session-title.tsx'
import { openBranchMap, openChanges, togglePanels } from '../state/panels.ts'
import { formatNumber } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { findSession } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { type ContextFill, contextPercent } from './context-ring.tsx'
import { useAgentsOfChat, useCurrentSession, usePanelsOfChat } from './header-state.ts'

/** Everything the header has no room for. On a phone, that is nearly everything. */
export function HeaderMenu({
  isNarrow,
  fill,
  onTitleMode,
}: {
  isNarrow: boolean
  fill: ContextFill
  onTitleMode: (mode: TitleMode) => void
}) {
  const here = useHereItems(isNarrow, fill)
  const chat = useChatItems(onTitleMode)
  const elsewhere = useElsewhereItems(isNarrow)
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          className="icon-button header-more"
          aria-label={t.header.more}
          onPointerEnter={loadSessionMenu}
          onFocus={loadSessionMenu}
        >
          <Ellipsis />
        </button>
      }
      items={[here, chat, elsewhere].flatMap((group) =>
        group.map((item, index) => (index === 0 ? { ...item, startsGroup: true } : item)),
      )}
    />
  )
}

function useHereItems(isNarrow: boolean, fill: ContextFill): MenuItem[] {
  const { app } = useWorkspace()
  const store = useCurrentSession()
  const isNew = useApp((state) => state.isNew)
  const isEmpty = useStore(store, (state) => state.messages.length === 0)
  const agents = useAgentsOfChat()
  const { panels, isOffered, label } = usePanelsOfChat()
  const keys = (pressed: Keys) => (isNarrow ? undefined : keyText(pressed))
  const find = { label: t.find.open, icon: <Search aria-hidden />, hint: keys('Mod+F'), onSelect: openFind }
  const branches = {
    label: t.branches.open,
    icon: <GitBranch aria-hidden />,
    onSelect: () => openBranchMap(panels),
  }
  const changes = {
    label: t.panels.changes,
    icon: <FileDiff aria-hidden />,
    onSelect: () => openChanges(panels),
  }
  const subAgents = {
    label: agents.working > 0 ? t.subAgents.runningCount(agents.working) : t.subAgents.count(agents.count),
    icon: <Bot aria-hidden />,
    onSelect: () => void panels.open(agentPanel(store.agents, null)),
  }
  const context = {
    label: t.context.title,
    icon: <PieChart aria-hidden />,
    hint: contextPercent(fill),
    onSelect: () => app.setDialog('context'),
  }
  const panelsItem = {
    label,
    icon: <PanelRight aria-hidden />,
    onSelect: () => togglePanels(panels),
  }
  return [
    changes,
    ...(isEmpty ? [] : [find, branches]),
    ...(agents.count > 0 ? [subAgents] : []),
    ...(isNarrow && !isNew ? [context] : []),
    ...(isNarrow && isOffered ? [panelsItem] : []),
  ]
}

/** The same menu as in the chat's row. Loaded when the button is about to be used. */
function useChatItems(onTitleMode: (mode: TitleMode) => void): MenuItem[] {
  const { app, link } = useWorkspace()
  const store = useCurrentSession()
  const session = useApp((state) => findSession(state, state.sessionId))
  const menu = useSessionMenu()
  if (session === undefined || menu === undefined) return []
  return menu.sessionMenu(
    app,
    session,
    {
      rename: () => onTitleMode('renaming'),
      newFolder: () => onTitleMode('filing'),
      deleteForGood: () => onTitleMode('deleting'),
      branch: () => store.getState().messages.at(-1)?.id,
      link,
    },
    'header',
  )
}

function useElsewhereItems(isNarrow: boolean): MenuItem[] {
  const { app } = useWorkspace()
  const isNew = useApp((state) => state.isNew)
  const count = useApp((state) => state.asks.length)
  const inbox = {
    label: t.inbox.title,
    icon: <Inbox aria-hidden />,
    hint: count > 0 ? formatNumber(count) : isNarrow ? undefined : keyText('Mod+I'),
    onSelect: () => app.setDialog('inbox'),
  }
  const newChat = { label: t.header.newSession, icon: <SquarePen aria-hidden />, onSelect: app.newSession }
  return [...(isNarrow && !isNew ? [newChat] : []), inbox]
}
