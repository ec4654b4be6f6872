import { Pause, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSessionStore } from '../chat/session-context.ts'
import type { TappedChunk } from '../chat/stream-tap.ts'
import { t } from '../texts/t.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'

const lookEveryMs = 250

/** The last chunks with their numbers, newest first; those that hold what is typed. */
export function StreamView() {
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
      <div className="beside-head debug-filter">
        <input
          className="beside-head-main"
          aria-label={t.debug.filter}
          placeholder={t.debug.filter}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <IconButton label={paused ? t.debug.goOn : t.debug.pause} onClick={() => setPaused(!paused)}>
          {paused ? <Play /> : <Pause />}
        </IconButton>
        <CopyButton text={shown.toReversed().map(lineOf).join('\n')} label={t.debug.copy} />
      </div>
      {shown.length === 0 ? (
        <p className="beside-none">{t.debug.nothing}</p>
      ) : (
        <ol className="beside-body debug-chunks" tabIndex={0} aria-label={t.debug.stream}>
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
