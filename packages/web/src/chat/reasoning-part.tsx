import { ChevronRight } from 'lucide-react'
import { memo, useId } from 'react'
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
  /** How long it took, where that is known. */
  elapsedMs: number | undefined
}

/** What the model thought, folded, with the time that it took. */
export const ReasoningPart = memo(function ReasoningPart({ id, text, streaming, elapsedMs }: ReasoningPartProps) {
  const [open, setOpen] = useDisclosure(id, false)
  const bodyId = useId()
  const thought = elapsedMs === undefined ? t.chat.thought : t.chat.thoughtFor(formatDuration(elapsedMs))
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
