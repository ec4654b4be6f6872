import { useState } from 'react'
import { useChatActions } from '../chat/hooks/use-chat-actions.ts'
import { useChatSession } from '../chat/hooks/use-chat-session.ts'
import { useChatState } from '../chat/hooks/use-chat-state.ts'
import { useChatTools } from '../chat/hooks/use-chat-tools.ts'
import { t } from '../texts/t.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Segments } from '../ui/segments.tsx'
import { StreamView } from './stream-view.tsx'
import { toDebugText } from './to-shown.ts'
import './debug-view.css'

const views = ['stream', 'useChatState', 'useChatSession', 'useChatTools', 'useChatActions'] as const
type View = (typeof views)[number]

/** The raw stream of the session, and what the hooks for extensions give, live. */
export function DebugView() {
  const [view, setView] = useState<View>('stream')
  const options = views.map((value) => ({ value, label: value === 'stream' ? t.debug.stream : `${value}()` }))
  return (
    <div className="debug">
      <div className="beside-head debug-head">
        <Segments label={t.debug.view} options={options} value={view} onChange={setView} />
      </div>
      {view === 'stream' && <StreamView />}
      {view === 'useChatState' && <StateView />}
      {view === 'useChatSession' && <SessionView />}
      {view === 'useChatTools' && <ToolsView />}
      {view === 'useChatActions' && <ActionsView />}
    </div>
  )
}

function StateView() {
  return <Value value={useChatState()} />
}

function SessionView() {
  return <Value value={useChatSession()} />
}

function ToolsView() {
  return <Value value={useChatTools()} />
}

function ActionsView() {
  return <Value value={useChatActions()} />
}

function Value({ value }: { value: unknown }) {
  const text = toDebugText(value)
  return (
    <div className="beside-body debug-value">
      <CopyButton text={text} label={t.debug.copy} />
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}
