import type { Part, StoredMessage } from '@troupe/protocol'
import { FileText, GitBranch, History, Split, Trash2, Type, Volume2 } from 'lucide-react'
import type { ComponentProps, ReactElement } from 'react'
import { copyRichText, messageHtml } from '../../sharing/share-actions.ts'
import { notice } from '../../state/notices.tsx'
import { openBranchMap, type Panels } from '../../state/panels.ts'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { copyText } from '../../ui/button.tsx'
import { MenuPopup } from '../../ui/menu-popup.tsx'
import type { MenuItem } from '../../ui/menu.tsx'
import { readAloud } from '../../voice/read-aloud.ts'
import { useVoice } from '../../voice/voice-state.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { useFork } from '../hooks/use-chat-actions.ts'
import { isToolCall, readToolCall } from '../session/message-parts.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { messageText, type VisibleMessage } from '../session/session-state.ts'

export interface MessageMenuItemsProps {
  message: VisibleMessage
  button: ReactElement<ComponentProps<'button'>>
  onClosed: () => void
}

export function MessageMenuItems({ message, button, onClosed }: MessageMenuItemsProps) {
  const { remove, panels } = useSessionStore()
  const fork = useFork()
  const workspace = useWorkspace()
  const isReadingOffered = useVoice(({ reading }) => reading !== 'off')
  const busy = useSession((state) => state.run !== null)
  const isOwn = useSession((state) => state.agentId === null)
  const items: MenuItem[] = [
    { label: t.chat.copyMarkdown, icon: <FileText aria-hidden />, onSelect: () => void copy(message) },
    { label: t.share.copyRich, icon: <Type aria-hidden />, onSelect: () => void copyRich(message) },
  ]
  const text = messageText(message).trim()
  if (message.role === 'assistant' && text !== '' && isReadingOffered)
    items.push({
      label: t.voice.readAloud,
      icon: <Volume2 aria-hidden />,
      onSelect: () => void readAloud(workspace, { id: message.id, text }),
    })
  if (isOwn)
    items.push({
      label: t.branches.open,
      icon: <GitBranch aria-hidden />,
      onSelect: () => openBranchMap(panels, message.id),
    })
  if (isOwn && message.live !== true && !busy)
    items.push({
      label: t.rewind.open,
      icon: <History aria-hidden />,
      onSelect: () => openRewind(panels, message.id),
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
  return <MenuPopup trigger={button} items={items} onClosed={onClosed} />
}

async function copy(message: VisibleMessage): Promise<void> {
  notice((await copyText(messageMarkdown(message))) ? t.chat.copied : t.chat.copyingFailed)
}

async function copyRich(message: VisibleMessage): Promise<void> {
  const content = { html: messageHtml(message.id), text: messageMarkdown(message) }
  notice((await copyRichText(Promise.resolve(content))) ? t.chat.copied : t.chat.copyingFailed)
}

function openRewind(panels: Panels, messageId: string): void {
  panels.open({ kind: 'rewind', title: t.rewind.title, data: { messageId } })
}

/** Restores focus after the focused element was removed. */
function focusConversation(): void {
  const { activeElement } = document
  if (activeElement !== null && activeElement !== document.body) return
  const list = document.querySelector<HTMLElement>('[role="log"]') ?? document.querySelector<HTMLElement>('textarea')
  list?.focus({ preventScroll: true })
}

const mostOutput = 4000

/** Exports a message as Markdown: text as written, tool calls as quotes, files and sources as links. */
export function messageMarkdown(message: Pick<StoredMessage, 'parts'>): string {
  const pieces = message.parts.map(pieceOf).filter((piece) => piece !== '')
  const sources = message.parts.flatMap((part) =>
    part.type === 'source-url' ? [`- [${plain(part.title ?? part.url)}](${address(part.url)})`] : [],
  )
  return [...pieces, ...(sources.length > 0 ? [sources.join('\n')] : [])].join('\n\n')
}

function pieceOf(part: Part): string {
  if (isToolCall(part)) {
    const { title, summary, output, errorText } = readToolCall(part, {
      progress: undefined,
      live: false,
      latest: false,
    })
    const head = `> **${plain(title)}**${summary === undefined ? '' : ` ${plain(summary)}`}`
    const result = errorText ?? (typeof output === 'string' ? output : undefined)
    return result === undefined || result.trim() === '' ? head : `${head}\n\n${fenced(result)}`
  }
  if (part.type === 'text') return part.text.trim()
  if (part.type === 'file') return `[${plain(part.filename ?? part.mediaType)}](${address(part.url)})`
  if (part.type === 'steering-message')
    return part.parts.flatMap((said) => (said.type === 'text' ? `> ${said.text}` : [])).join('\n')
  return ''
}

/** Uses a fence longer than any in the text. */
function fenced(text: string): string {
  const cut = text.length > mostOutput ? `${text.slice(0, mostOutput).toWellFormed()}\n…` : text
  const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${cut.trimEnd()}\n${fence}`
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[[\]*`]/g, String.raw`\$&`)
}

function address(url: string): string {
  return url.startsWith('data:')
    ? ''
    : url.replaceAll(/[\s()<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
