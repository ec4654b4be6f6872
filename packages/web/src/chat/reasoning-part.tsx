import { ChevronRight } from 'lucide-react'
import { memo, useEffect, useId, useRef, useState } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { t } from '../texts/t.ts'
import { formatDuration } from '../ui/format.ts'
import { Group } from '../ui/group.tsx'
import { useDisclosure } from './use-disclosure.ts'
import './reasoning-part.css'

export interface ReasoningPartProps {
  id: string
  text: string
  streaming: boolean
}

/** What the model thought, folded. The time is measured here while it thinks; nobody stores it. */
export const ReasoningPart = memo(function ReasoningPart({ id, text, streaming }: ReasoningPartProps) {
  const [open, setOpen] = useDisclosure(id, false)
  const bodyId = useId()
  const elapsed = useElapsed(streaming)
  const thought = elapsed === undefined ? t.chat.thought : t.chat.thoughtFor(formatDuration(elapsed))
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
        <span className={streaming ? 'breathing' : undefined}>{streaming ? t.chat.thinking : thought}</span>
        {streaming && <span className="reasoning-glimpse">{text.trimEnd().split('\n').at(-1)?.slice(-90)}</span>}
      </button>
      <div id={bodyId} className="reasoning-body" hidden={!open}>
        {open && <Markdown text={text} done={!streaming} />}
      </div>
    </Group>
  )
})

function useElapsed(streaming: boolean): number | undefined {
  const begun = useRef<number>(undefined)
  const [elapsed, setElapsed] = useState<number>()
  useEffect(() => {
    if (streaming) begun.current ??= performance.now()
    else if (begun.current !== undefined) setElapsed(performance.now() - begun.current)
  }, [streaming])
  return elapsed
}
