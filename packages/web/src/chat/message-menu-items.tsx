import { FileText, GitBranch, Split, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { openBranchMap } from '../branches/open-branch-map.ts'
import { t } from '../texts/t.ts'
import { copyText } from '../ui/copy-text.ts'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { notice } from '../ui/notices.tsx'
import { messageMarkdown } from './message-markdown.ts'
import { useSession, useSessionStore } from './session-context.ts'
import type { VisibleMessage } from './session-state.ts'
import { useFork } from './use-fork.ts'

export interface MessageMenuItemsProps {
  message: VisibleMessage
  button: ReactNode
  onClosed: () => void
}

export function MessageMenuItems({ message, button, onClosed }: MessageMenuItemsProps) {
  const { remove, panels } = useSessionStore()
  const fork = useFork()
  const busy = useSession((state) => state.run !== null)
  const isOwn = useSession((state) => state.agentId === null)
  const items: MenuItem[] = [
    { label: t.chat.copyMarkdown, icon: <FileText aria-hidden />, onSelect: () => void copy(message) },
  ]
  if (isOwn)
    items.push({
      label: t.branches.open,
      icon: <GitBranch aria-hidden />,
      onSelect: () => openBranchMap(panels, message.id),
    })
  if (isOwn && message.live !== true)
    items.push({ label: t.chat.fork, icon: <Split aria-hidden />, onSelect: () => void fork(message.id) })
  if (isOwn && !busy)
    items.push({
      label: t.chat.delete,
      icon: <Trash2 aria-hidden />,
      danger: true,
      onSelect: () => void remove(message.id).then(focusConversation),
    })
  return <Menu trigger={button} items={items} isOpen onClosed={onClosed} />
}

async function copy(message: VisibleMessage): Promise<void> {
  notice((await copyText(messageMarkdown(message))) ? t.chat.copied : t.chat.copyingFailed)
}

/** What had the focus is gone. */
function focusConversation(): void {
  const { activeElement } = document
  if (activeElement !== null && activeElement !== document.body) return
  const list = document.querySelector<HTMLElement>('[role="log"]') ?? document.querySelector<HTMLElement>('textarea')
  list?.focus({ preventScroll: true })
}
