import { useLayoutEffect, useMemo } from 'react'
import { isRecord, numberIn, splitLines, textIn } from '../api/read-fields.ts'
import { formatDuration, isLong } from '../texts/format.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { CopyButton } from '../ui/button.tsx'
import { formatElements, VisibleText } from '../ui/elements.tsx'
import { useStickToBottom } from '../ui/scrolling.ts'
import { useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayContent, DisplayProps } from './parts/display-registry.ts'
import { readScreen } from './parts/terminal-screen.ts'
import './terminal.css'

export function isBad(content: DisplayContent): boolean {
  const { exitCode, status } = content
  return (typeof exitCode === 'number' && exitCode !== 0) || status === 'timed-out' || status === 'stopped'
}

/** Command and its output: `command`, `text` (with colors), `exitCode`, `durationMs`, `status`, `taskId`, `spilled`. */
export default function TerminalDisplay({ content, live = false }: DisplayProps) {
  const command = textIn(content['command'])
  const text = textIn(content['text'])
  if (command === undefined && text === undefined) return <ValueView value={content} />
  return (
    <figure className="panel terminal" aria-label={t.displays.terminal(command ?? t.displays.output)}>
      {command !== undefined && <Command command={command} />}
      {text !== undefined && text !== '' && <Output text={text} />}
      {!live && <Ending content={content} silent={text === ''} />}
    </figure>
  )
}

const commandLines = 30

/** Shows the exact command with nothing hidden. */
function Command({ command }: { command: string }) {
  const lines = splitLines(command)
  const { shown, left, grow } = useShowMore(lines.length, commandLines)
  return (
    <figcaption className="terminal-command">
      <span className="terminal-prompt" aria-hidden>
        ❯
      </span>
      <code>
        <VisibleText text={left > 0 ? lines.slice(0, shown).join('\n') : command} as="exact" />
        {left > 0 && (
          <button type="button" className="terminal-more" onClick={grow}>
            {t.displays.moreLines(left)}
          </button>
        )}
      </code>
      <CopyButton text={command} label={t.displays.copyCommand} />
    </figcaption>
  )
}

/** Follows new output until the user scrolls up. */
function Output({ text }: { text: string }) {
  const { runs, left } = useMemo(() => readScreen(text), [text])
  const { scroller, onScroll, keepsEnd, toEnd } = useStickToBottom()
  useLayoutEffect(() => {
    if (keepsEnd()) toEnd()
  }, [text, keepsEnd, toEnd])
  return (
    <div
      className="terminal-output"
      ref={scroller}
      onScroll={onScroll}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={t.displays.output}
    >
      {left > 0 && <p className="terminal-note">{t.displays.earlierLines(left)}</p>}
      <pre>
        {runs.map((run, index) => (
          <span key={index} className={run.look === '' ? undefined : run.look}>
            <VisibleText text={run.text} />
          </span>
        ))}
      </pre>
    </div>
  )
}

function Ending({ content, silent }: { content: DisplayProps['content']; silent: boolean }) {
  const exitCode = numberIn(content['exitCode'])
  const duration = numberIn(content['durationMs'])
  const status = textIn(content['status'])
  const task = textIn(content['taskId'])
  const spilled = isRecord(content['spilled']) ? content['spilled'] : undefined
  const length = numberIn(spilled?.['length'])
  const path = textIn(spilled?.['path'])
  // The card's head says so already.
  const isPlain = exitCode === 0 && (status === undefined || status === 'ended')
  const facts = [
    t.displays.ends[status ?? ''] ?? (exitCode === undefined || isPlain ? undefined : t.displays.exitCode(exitCode)),
    !isPlain && isLong(duration) && formatDuration(duration),
    silent && status !== 'running' && exitCode !== undefined && t.displays.noOutput,
    task !== undefined && t.displays.task(task),
  ].filter((fact) => typeof fact === 'string')
  if (facts.length === 0 && path === undefined) return null
  return (
    <p className="panel-foot terminal-end">
      <span className={isBad(content) ? 'terminal-bad' : undefined}>{facts[0]}</span>
      {facts.slice(1).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {path !== undefined && (
        <span>{formatElements(t.displays.fullOutput(length), { path: <VisibleText text={path} as="exact" /> })}</span>
      )}
    </p>
  )
}
