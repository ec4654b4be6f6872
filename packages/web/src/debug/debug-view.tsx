import { Pause, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useChatActions } from '../chat/hooks/use-chat-actions.ts'
import { useChatSession, useChatState, useChatTools } from '../chat/hooks/use-chat-state.ts'
import type { TappedChunk } from '../chat/session/run-stream.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { CopyButton, IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import './debug-view.css'

const views = ['stream', 'useChatState', 'useChatSession', 'useChatTools', 'useChatActions'] as const
type View = (typeof views)[number]

export function DebugView() {
  const [view, setView] = useState<View>('stream')
  const options = views.map((value) => ({ value, label: value === 'stream' ? t.debug.stream : `${value}()` }))
  return (
    <div className="debug">
      <div className="side-panel-head debug-head">
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
    <div className="side-panel-body debug-value">
      <CopyButton text={text} label={t.debug.copy} />
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}

const lookEveryMs = 250

function StreamView() {
  const { stream } = useSessionStore()
  const [chunks, setChunks] = useState(() => stream.read())
  const [paused, setPaused] = useState(false)
  const [filter, setFilter] = useState('')
  useEffect(() => {
    if (paused) return
    let seen = -1
    const timer = setInterval(() => {
      if (stream.count() === seen) return
      seen = stream.count()
      setChunks(stream.read())
    }, lookEveryMs)
    return () => clearInterval(timer)
  }, [stream, paused])
  const wanted = filter.trim().toLowerCase()
  const shown = chunks.filter((tapped) => wanted === '' || lineOf(tapped).toLowerCase().includes(wanted)).toReversed()
  return (
    <>
      <div className="side-panel-head debug-filter">
        <input
          className="side-panel-head-main"
          aria-label={t.debug.filter}
          placeholder={t.debug.filter}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <IconButton label={paused ? t.debug.resume : t.debug.pause} onClick={() => setPaused(!paused)}>
          {paused ? <Play /> : <Pause />}
        </IconButton>
        <CopyButton text={shown.toReversed().map(lineOf).join('\n')} label={t.debug.copy} />
      </div>
      {shown.length === 0 ? (
        <p className="side-panel-none">{t.debug.nothing}</p>
      ) : (
        <ol className="side-panel-body debug-chunks" tabIndex={0} aria-label={t.debug.stream}>
          {shown.map((tapped, index) => (
            <li key={`${tapped.number ?? 'x'} ${shown.length - index}`}>
              <span className="debug-number">{tapped.number ?? '–'}</span>
              <b>{tapped.chunk.type}</b>
              <code>
                <VisibleText text={restOf(tapped)} as="exact" />
              </code>
            </li>
          ))}
        </ol>
      )}
    </>
  )
}

function lineOf({ number, chunk }: TappedChunk): string {
  return `${number ?? '-'}\t${JSON.stringify(chunk)}`
}

const longestShown = 400

function restOf({ chunk: { type: _, ...rest } }: TappedChunk): string {
  const text = JSON.stringify(rest)
  return text.length > longestShown ? `${text.slice(0, longestShown)} …` : text
}

/**
 * Serializes a value. Functions show their property names, because the build minifies their own. Maps become objects.
 */
export function toDebugText(value: unknown, space: number = 2): string {
  return JSON.stringify(value, replace, space) ?? String(value)
}

function replace(key: string, value: unknown): unknown {
  if (typeof value === 'function') return `ƒ ${key || value.name || 'anonymous'}()`
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}
