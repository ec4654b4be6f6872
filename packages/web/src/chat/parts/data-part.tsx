import type { DataParts } from '@troupe/protocol'
import { Archive, Braces } from 'lucide-react'
import { lazy, memo, Suspense } from 'react'
import { ValueView } from '../../displays/parts/display-parts.tsx'
import { formatToolName } from '../../texts/format.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import { useNoApproval } from '../../state/team.tsx'
import { t } from '../../texts/t.ts'
import { AskContent, AskFrame, OpenAsk } from '../asks/open-ask.tsx'
import { partData } from '../session/message-parts.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { openAsks } from '../session/session-state.ts'
import { CompactionPart } from './compaction-part.tsx'
import { Fold } from './fold.tsx'
import { hasCard } from './tool-part.tsx'

const ImageDescription = lazy(() =>
  import('./image-description.tsx').then((loaded) => ({ default: loaded.ImageDescription })),
)

/** Ask of a tool. Once answered, the tool's card shows the result, if it has one. */
function AskPart({ ask, live }: { ask: DataParts['ask']; live: boolean }) {
  const store = useSessionStore()
  const open = useSession((state) => live && openAsks(state.run?.answer ?? null).includes(ask.id))
  const sending = useSession((state) => state.answering.includes(ask.id))
  const refusal = useNoApproval(useSession((state) => state.sessionId))
  if (open)
    return (
      <OpenAsk ask={ask} refusal={refusal} sending={sending} answer={(given) => void store.answer(ask.id, given)} />
    )
  if (hasCard(ask.toolName)) return null
  return (
    <AskFrame title={ask.title}>
      <AskContent content={ask.content} />
    </AskFrame>
  )
}

/** Tool results that the model sees only as pointers from here on. */
function TrimPart({ trim }: { trim: DataParts['trim'] }) {
  return (
    <p className="mark mark-small" title={t.chat.inFolder(trim.folder)}>
      <Archive aria-hidden />
      <span>{t.chat.resultsMoved}</span>
    </p>
  )
}

interface DataPartProps {
  id: string
  part: { type: string; data: unknown }
  live: boolean
}

/** Renders a `data-*` part. Unknown names appear as a name with raw data. */
export const DataPart = memo(function DataPart({ id, part, live }: DataPartProps) {
  const ask = partData(part, 'ask')
  // Page calls appear on the tool's card.
  if (ask?.kind === 'browser') return null
  if (ask !== undefined) return <AskPart ask={ask} live={live} />
  if (part.type === 'data-ask-answer' || part.type === 'data-branch') return null
  // Images and videos appear on the card of the tool that made them.
  if (part.type.startsWith('data-media-generate-')) return null
  const hint = partData(part, 'hint')
  if (hint !== undefined) return <p className="hint-part">{translateServerText(hint.text, 'text')}</p>
  const compaction = partData(part, 'compaction')
  if (compaction !== undefined) return <CompactionPart id={id} compaction={compaction} />
  const trim = partData(part, 'trim')
  if (trim !== undefined) return <TrimPart trim={trim} />
  const image = partData(part, 'image-description')
  if (image !== undefined)
    return (
      <Suspense>
        <ImageDescription id={id} image={image} />
      </Suspense>
    )
  return (
    <Fold id={id} title={formatToolName(part.type.slice('data-'.length))} icon={<Braces aria-hidden />}>
      <ValueView value={part.data} />
    </Fold>
  )
})
