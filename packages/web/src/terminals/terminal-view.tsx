import type { TerminalInfo } from '@troupe/protocol'
import { Accessibility, Eraser, File, Globe, Link, MessageSquareQuote, MoreHorizontal, Search } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { TaskInfo } from '../api/session-types.ts'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { keyText } from '../platform/keyboard.ts'
import { browserStorage } from '../platform/storage.ts'
import { notice } from '../state/notices.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import type { FoundLink } from './find-links.ts'
import { pathInFolder } from './find-links.ts'
import { type Paste, readPaste } from './paste.ts'
import { sendToChat } from './send-to-chat.ts'
import { LinkDialog, PasteDialog } from './terminal-dialogs.tsx'
import { TerminalFind } from './terminal-find.tsx'
import { TaskStatus } from './task-status.tsx'
import type { TerminalSocket, WatchTarget } from './terminal-socket.ts'
import { TouchKeys, useTouchKeys } from './touch-keys.tsx'
import { useTerminal } from './use-terminal.ts'

/** A tab of the panel: a terminal of the person, or a command of this chat. */
export type TerminalTab = { id: string; name: string } & ({ terminal: TerminalInfo } | { task: TaskInfo })

interface TerminalViewProps {
  tab: TerminalTab
  socket: TerminalSocket
  isShown: boolean
  /** Counts requests to move the focus here. */
  focusRequest: number
  onLeave: () => void
}

const readerKey = 'troupe.terminal.reader'

/** One screen with its toolbar. Stays mounted behind other tabs, so that selection and scroll position survive. */
export function TerminalView({ tab, socket, isShown, focusRequest, onLeave }: TerminalViewProps) {
  const store = useSessionStore()
  const sessionId = useSession((state) => state.sessionId)
  const screen = useRef<HTMLDivElement>(null)
  const [hasSelection, setHasSelection] = useState(false)
  const [isFinding, setFinding] = useState(0)
  const [paste, setPaste] = useState<Paste | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const [isReader, setReader] = useState(() => browserStorage.get(readerKey) === 'on')
  const [links, setLinks] = useState<FoundLink[]>([])
  const keys = useTouchKeys()
  const target: WatchTarget = 'terminal' in tab ? { terminalId: tab.id } : { sessionId, taskId: tab.id }
  const { open, state, status, skipped } = useTerminal({
    socket,
    target,
    screen,
    label: t.terminals.screen(tab.name, keyText('Mod+Shift+X')),
    isShown,
    mapInput: keys.mapInput,
    actions: {
      onPaste: receivePaste,
      onLink: openLink,
      onSelection: setHasSelection,
      onFind: () => setFinding((count) => count + 1),
      onSend: send,
      onLeave,
      onCopied: (isCopied) => notice(isCopied ? t.ui.copied : t.ui.copyFailed),
    },
  })
  const emulator = open?.emulator
  useEffect(() => emulator?.setScreenReader(isReader), [emulator, isReader])
  useEffect(() => {
    if (isShown && focusRequest > 0) emulator?.focus()
  }, [emulator, isShown, focusRequest])
  const endFinding = useCallback(() => {
    setFinding(0)
    emulator?.endFind()
    emulator?.focus()
  }, [emulator])

  return (
    <div className="terminal-view" hidden={!isShown}>
      <div className="terminal-bar">
        <div className="terminal-bar-main">
          {'task' in tab ? (
            <TaskStatus task={tab.task} state={state} isGone={status === 'gone'} watch={open?.watch} />
          ) : (
            <TerminalPlace terminal={tab.terminal} />
          )}
        </div>
        <IconButton
          label={t.terminals.send}
          shortcut={keyText('Alt+Q')}
          disabled={!hasSelection}
          onClick={send}
          className="terminal-action"
        >
          <MessageSquareQuote />
        </IconButton>
        <IconButton
          label={t.terminals.find}
          shortcut={keyText('Mod+Shift+F')}
          onClick={() => setFinding((count) => count + 1)}
          className="terminal-action"
        >
          <Search />
        </IconButton>
        <Menu
          align="end"
          items={menuItems()}
          trigger={
            <button
              type="button"
              className="icon-button terminal-action"
              aria-label={t.terminals.more}
              onPointerDownCapture={findNewLinks}
              onKeyDownCapture={findNewLinks}
            >
              <MoreHorizontal aria-hidden />
            </button>
          }
        />
      </div>
      {isFinding > 0 && emulator !== undefined && (
        <TerminalFind emulator={emulator} focusRequest={isFinding} onClose={endFinding} />
      )}
      {status === 'gone' && <p className="terminal-hint">{t.panels.taskGone}</p>}
      {status === 'failed' && <p className="terminal-hint">{t.panels.notLoaded}</p>}
      {skipped > 0 && 'task' in tab && <p className="terminal-hint">{t.terminals.skipped}</p>}
      <div className="terminal-scroll">
        <div ref={screen} className="terminal-screen" />
      </div>
      {state?.typing === true && (
        <TouchKeys keys={keys} onKey={(text) => open?.watch.input(text)} onDone={() => emulator?.focus()} />
      )}
      {paste !== null && (
        <PasteDialog
          paste={paste}
          onPaste={() => emulator?.paste(paste.text)}
          onClose={() => {
            setPaste(null)
            emulator?.focus()
          }}
        />
      )}
      {link !== null && <LinkDialog url={link} onOpen={() => openUrl(link)} onClose={() => setLink(null)} />}
    </div>
  )

  function menuItems(): MenuItem[] {
    return [
      {
        label: t.terminals.links,
        icon: <Link />,
        items:
          links.length === 0
            ? [{ label: t.terminals.noLinks, icon: <Link /> }]
            : links.map((one) => ({
                label: one.text,
                icon: 'url' in one.open ? <Globe /> : <File />,
                onSelect: () => openLink(one.open, false),
              })),
      },
      { label: t.terminals.clear, icon: <Eraser />, onSelect: () => emulator?.clear() },
      {
        label: isReader ? t.terminals.readerOff : t.terminals.readerOn,
        icon: <Accessibility />,
        onSelect: () => {
          setReader(!isReader)
          browserStorage.set(readerKey, isReader ? null : 'on')
        },
      },
    ]
  }

  function findNewLinks() {
    setLinks(emulator?.links() ?? [])
  }

  function send() {
    const text = emulator?.selection() ?? ''
    if (text.trim() !== '') sendToChat(store, text)
  }

  function receivePaste(text: string) {
    if (text === '' || emulator === undefined) return
    const read = readPaste(text, { isBracketed: emulator.isBracketed() })
    if (read.needsConsent) setPaste(read)
    else emulator.paste(read.text)
  }

  function openLink(found: FoundLink['open'], isHidden: boolean) {
    if ('url' in found) {
      if (isHidden) setLink(found.url)
      else openUrl(found.url)
      return
    }
    const path = pathInFolder(found.path, 'terminal' in tab ? tab.terminal.folder : '')
    if (path === undefined) return notice(t.terminals.outside)
    const title = path.split('/').at(-1) ?? path
    store.panels.open({ kind: 'file', key: path, title, data: { path, line: found.line } })
  }
}

function openUrl(url: string): void {
  window.open(url, '_blank', 'noopener,noreferrer')
}

function TerminalPlace({ terminal }: { terminal: TerminalInfo }) {
  const { running, exitCode, folder } = terminal
  if (!running) return <span>{t.terminals.exited(exitCode)}</span>
  const place = folder === null ? t.terminals.elsewhere : folder === '' ? t.terminals.here : folder
  return (
    <span className="terminal-place" dir="auto" title={place}>
      {place}
    </span>
  )
}
