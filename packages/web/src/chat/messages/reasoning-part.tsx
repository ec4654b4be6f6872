import { ChevronRight } from 'lucide-react'
import { memo, useEffect, useId, useState } from 'react'
import { Markdown } from '../../content/markdown.tsx'
import { formatSeconds, isLong } from '../../texts/format.ts'
import { t } from '../../texts/t.ts'
import { Group } from '../../ui/elements.tsx'
import { stripMarkdown } from '../../ui/strip-markdown.ts'
import { useDisclosure } from '../session/session-context.ts'
import './reasoning-part.css'

interface ReasoningPartProps {
  id: string
  text: string
  streaming: boolean
  elapsedMs: number | undefined
}

/** Reasoning, folded: how long it took, or while it streams, its last finished sentence. */
export const ReasoningPart = memo(function ReasoningPart({ id, text, streaming, elapsedMs }: ReasoningPartProps) {
  const [open, setOpen] = useDisclosure(id, false)
  const bodyId = useId()
  return (
    <Group className="reasoning" label={t.chat.reasoning}>
      <button
        type="button"
        className="reasoning-head"
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight aria-hidden />
        {streaming ? (
          <>
            <span className="breathing">{t.chat.thinking}</span>
            <Seconds />
            {!open && (
              <span className="reasoning-glimpse" dir="auto">
                {lastSentence(text)}
              </span>
            )}
          </>
        ) : (
          <span>{isLong(elapsedMs) ? t.chat.thoughtFor(formatSeconds(elapsedMs)) : t.chat.thought}</span>
        )}
      </button>
      <div id={bodyId} className="reasoning-body" hidden={!open}>
        {open && <Markdown text={text} done={!streaming} />}
      </div>
    </Group>
  )
})

/** Counts the seconds since it appeared. Hidden from screen readers, which would read out every change. */
function Seconds() {
  const [begun] = useState(Date.now)
  const [now, setNow] = useState(begun)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const elapsedMs = now - begun
  return isLong(elapsedMs) ? (
    <span className="reasoning-seconds" aria-hidden>
      {formatSeconds(elapsedMs)}
    </span>
  ) : null
}

/** Enough for the last sentence of most texts. */
const lookedAt = 600

/** Changes only when a sentence or line is complete, so that the text does not run past the reader. */
export function lastSentence(text: string): string {
  const sentences = text.slice(-lookedAt).split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/)
  // The text after the last end is not finished.
  const said = sentences.slice(0, -1).map(stripMarkdown)
  return said.findLast((sentence) => /[\p{L}\p{N}]/u.test(sentence)) ?? ''
}
