import { Braces } from 'lucide-react'
import { memo, useId } from 'react'
import { formatToolName } from '../ui/format.ts'
import { Group } from '../ui/group.tsx'
import { AskPart } from './ask-part.tsx'
import { CompactionPart } from './compaction-part.tsx'
import { partData } from './data-of.ts'
import { TrimPart } from './trim-part.tsx'
import { useDisclosure } from './use-disclosure.ts'
import { ValueView } from './value-view.tsx'

export interface DataPartProps {
  id: string
  part: { type: string; data: unknown }
  live: boolean
}

/** A `data-*` part. Names that the page does not know are shown as what they are: a name and its data. */
export const DataPart = memo(function DataPart({ id, part, live }: DataPartProps) {
  const ask = partData(part, 'ask')
  // What a page is asked to do stands in the card of the tool.
  if (ask?.kind === 'browser') return null
  if (ask !== undefined) return <AskPart ask={ask} live={live} />
  if (part.type === 'data-ask-answer' || part.type === 'data-branch') return null
  // Pictures and films stand in the card of the tool that made them.
  if (part.type.startsWith('data-media-generate-')) return null
  const hint = partData(part, 'hint')
  if (hint !== undefined) return <p className="hint-part">{hint.text}</p>
  const compaction = partData(part, 'compaction')
  if (compaction !== undefined) return <CompactionPart id={id} compaction={compaction} />
  const trim = partData(part, 'trim')
  if (trim !== undefined) return <TrimPart trim={trim} />
  return (
    <Fold id={id} title={formatToolName(part.type.slice('data-'.length))}>
      <ValueView value={part.data} />
    </Fold>
  )
})

function Fold({ id, title, children }: { id: string; title: string; children: React.ReactNode }) {
  const [open, setOpen] = useDisclosure(id, false)
  const bodyId = useId()
  return (
    <Group className="tool" label={title}>
      <button
        type="button"
        className="tool-head"
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setOpen(!open)}
      >
        <span className="tool-icon">
          <Braces aria-hidden />
        </span>
        <span className="tool-title">{title}</span>
      </button>
      <div id={bodyId} className="tool-body" hidden={!open}>
        {open && children}
      </div>
    </Group>
  )
}
