import type { TaskInfo, TerminalInfo } from '@troupe/protocol'
import { Bot, Plus, SquareTerminal, X } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { textIn } from '../api/read-fields.ts'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { noticeError } from '../state/notices.tsx'
import type { PanelProps } from '../state/panels-state.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './terminals.css'
import { type TerminalSocket, terminalSocketOf } from './terminal-socket.ts'
import { type TerminalTab, TerminalView } from './terminal-view.tsx'

/**
 * The person's terminals in this folder and the commands of this chat's agents, one tab each. `data.show` names the tab,
 * `data.taskId` a command; `data.start` asks for a terminal if there is none.
 */
export function TerminalPanel({ panel }: PanelProps) {
  const { api } = useWorkspace()
  const { panels } = useSessionStore()
  const socket = terminalSocketOf(api)
  const { terminals, connection } = useStore(socket)
  const { tasks, areKnown } = useTasks(socket)
  const baseId = useId()
  const strip = useRef<HTMLDivElement>(null)
  const [focusRequest, setFocusRequest] = useState(0)
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set())
  const [closing, setClosing] = useState<TerminalTab | null>(null)
  const [isStarting, setStarting] = useState(false)
  useEffect(() => socket.retain(), [socket])

  const taskId = textIn(panel.data['taskId'])
  const wanted = textIn(panel.data['show']) ?? taskId ?? panel.key
  const tabs = [...(terminals ?? []).map(personTab), ...tasks.flatMap((task) => taskTab(task, wanted))]
  const shown = tabs.find(({ id }) => id === wanted) ?? tabs[0]
  if (shown !== undefined && !visited.has(shown.id)) setVisited(new Set([...visited, shown.id]))

  const show = (id: string) => panels.change(panel.id, { data: { show: id } })
  const start = async () => {
    setStarting(true)
    try {
      const { terminal } = await api.startTerminal({})
      show(terminal.id)
      setFocusRequest((count) => count + 1)
    } catch (error) {
      noticeError(error)
    } finally {
      setStarting(false)
    }
  }
  const startsFirst = panel.data['start'] === true && terminals !== undefined
  const startFirst = useEffectEvent(() => {
    panels.change(panel.id, { data: {} })
    if (terminals?.length === 0) void start()
    else setFocusRequest((count) => count + 1)
  })
  useEffect(() => {
    if (!startsFirst) return undefined
    const timer = setTimeout(startFirst)
    return () => clearTimeout(timer)
  }, [startsFirst])
  const end = (id: string) => void api.endTerminal(id).catch(noticeError)
  const close = (tab: TerminalTab) => {
    if (!('terminal' in tab)) return
    if (tab.terminal.running && !isShell(tab.terminal.program)) setClosing(tab)
    else end(tab.id)
  }
  const leave = useCallback(() => strip.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus(), [])

  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab === shown)
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }
    const next = steps[event.key]
    if (next !== undefined) {
      const tab = tabs[(next + tabs.length) % tabs.length]
      if (tab !== undefined) show(tab.id)
      // Wait until the new tab has rendered.
      requestAnimationFrame(leave)
    } else if (event.key === 'Enter' || event.key === 'ArrowDown') setFocusRequest((count) => count + 1)
    else if (event.key === 'Delete' && shown !== undefined) close(shown)
    else return
    event.preventDefault()
  }

  return (
    <>
      <div className="terminal-strip">
        <div ref={strip} className="terminal-tabs" role="tablist" aria-label={t.terminals.title}>
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${baseId}-tab-${tab.id}`}
              className="terminal-tab"
              aria-selected={tab === shown}
              aria-controls={visited.has(tab.id) ? `${baseId}-view-${tab.id}` : undefined}
              aria-keyshortcuts={'terminal' in tab ? 'Delete' : undefined}
              tabIndex={tab === shown ? 0 : -1}
              title={'task' in tab ? tab.task.command.slice(0, 300) : undefined}
              onKeyDown={onKeyDown}
              onClick={() => {
                show(tab.id)
                setFocusRequest((count) => count + 1)
              }}
              onAuxClick={(event) => {
                if (event.button === 1) close(tab)
              }}
            >
              {'task' in tab ? <Bot aria-label={t.terminals.agents} /> : <SquareTerminal aria-hidden />}
              <span className="terminal-tab-name">
                <VisibleText text={tab.name} as="name" />
              </span>
            </button>
          ))}
        </div>
        {shown !== undefined && 'terminal' in shown && (
          <IconButton label={t.terminals.close(shown.name)} onClick={() => close(shown)}>
            <X />
          </IconButton>
        )}
        <IconButton label={t.terminals.new} disabled={isStarting} onClick={() => void start()}>
          <Plus />
        </IconButton>
      </div>
      {connection === 'lost' && <output className="terminal-hint">{t.terminals.lost}</output>}
      {areKnown && taskId !== undefined && taskId === wanted && shown?.id !== wanted && (
        <p className="terminal-hint">{t.panels.taskGone}</p>
      )}
      {tabs.map(
        (tab) =>
          visited.has(tab.id) && (
            <div
              key={tab.id}
              className="terminal-room"
              role="tabpanel"
              id={`${baseId}-view-${tab.id}`}
              aria-labelledby={`${baseId}-tab-${tab.id}`}
              hidden={tab !== shown}
            >
              <TerminalView
                tab={tab}
                socket={socket}
                isShown={tab === shown}
                focusRequest={focusRequest}
                onLeave={leave}
              />
            </div>
          ),
      )}
      {shown === undefined && terminals !== undefined && (
        <div className="terminal-empty">
          <p>{t.terminals.none}</p>
          <Button kind="primary" disabled={isStarting} onClick={() => void start()}>
            {t.terminals.new}
          </Button>
          <p className="terminal-about">{t.terminals.about}</p>
        </div>
      )}
      {shown === undefined && terminals === undefined && <p className="side-panel-none">{t.panels.loading}</p>}
      {closing !== null && 'terminal' in closing && (
        <ConfirmDialog
          title={t.terminals.endTitle(closing.terminal.program)}
          confirm={t.terminals.end}
          onConfirm={() => end(closing.id)}
          onClose={() => setClosing(null)}
        >
          <p>{t.terminals.endAbout}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function personTab(terminal: TerminalInfo): TerminalTab {
  return { id: terminal.id, name: t.terminals.tab(terminal.program, terminal.number), terminal }
}

/** Ended commands have a tab only if they were opened from the chat. */
function taskTab(task: TaskInfo, wanted: string): TerminalTab[] {
  if (task.status !== 'running' && task.id !== wanted) return []
  return [{ id: task.id, name: task.command.split('\n')[0]?.slice(0, 60) ?? task.id, task }]
}

function isShell(program: string): boolean {
  return /^(?:ba|z|fi|da|k|c|tc|a)?sh$|^nu$|^pwsh$/.test(program)
}

function useTasks(socket: TerminalSocket): { tasks: readonly TaskInfo[]; areKnown: boolean } {
  const sessionId = useSession((state) => state.sessionId)
  const [known, setKnown] = useState<{ sessionId: string; list: readonly TaskInfo[] }>()
  useEffect(() => socket.watchTasks(sessionId, (list) => setKnown({ sessionId, list })), [socket, sessionId])
  return known?.sessionId === sessionId ? { tasks: known.list, areKnown: true } : { tasks: [], areKnown: false }
}
