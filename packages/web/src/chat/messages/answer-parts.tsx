import type { Author, Part } from '@troupe/protocol'
import { CornerDownRight } from 'lucide-react'
import { type ComponentType, lazy, memo, Suspense, useContext } from 'react'
import { Markdown } from '../../content/markdown.tsx'
import { TeamPart } from '../../state/team.tsx'
import { translateServerText } from '../../texts/server-texts.ts'
import { t } from '../../texts/t.ts'
import { getToolName, isToolCall, type Progress } from '../session/message-parts.ts'
import { DisclosureContext, standsAlone } from '../session/session-context.ts'
import { messageText, type VisibleMessage } from '../session/session-state.ts'
import { FilePart } from './file-part.tsx'
import { readNotice, reasoningTimes } from './read-message.ts'
import { ReasoningPart } from './reasoning-part.tsx'
import { ToolGroup } from './tool-group.tsx'
import { arrangeParts } from './tool-groups.ts'
import { useShownAuthor } from './user-message.tsx'

/** Renders the parts of an answer. Unchanged parts keep their identity and do not re-render. */
export function AnswerParts({
  message,
  progress,
}: {
  message: VisibleMessage
  progress: Record<string, Progress> | undefined
}) {
  const live = message.live === true
  const latest = new Map(
    message.parts.flatMap((part) => (isToolCall(part) ? [[getToolName(part), part.toolCallId]] : [])),
  )
  const thoughtMs = reasoningTimes(message)
  const { finishReason, elapsedMs } = message.metadata ?? {}
  // Answers to commands come from the server, not from a model.
  const isOfServer = !live && finishReason !== undefined && elapsedMs === undefined
  const chosen = useContext(DisclosureContext)
  const draw = ({ part, index, planId }: { part: Part; index: number; planId?: string | undefined }) =>
    isToolCall(part) ? (
      <ToolPart
        // A plan is one card, whichever call wrote its last state.
        key={planId ?? part.toolCallId}
        disclosure={planId}
        part={part}
        progress={progress?.[part.toolCallId]}
        live={live}
        aborted={message.metadata?.aborted === true}
        latest={planId !== undefined || latest.get(getToolName(part)) === part.toolCallId}
      />
    ) : (
      <PartView
        key={index}
        id={`${message.id}-${index}`}
        part={isOfServer && part.type === 'text' ? { ...part, text: translateServerText(part.text, 'text') } : part}
        live={live}
        elapsedMs={thoughtMs.get(part)}
        author={part.type === 'steering-message' ? message.metadata?.steeredBy?.[part.id] : undefined}
      />
    )
  return arrangeParts(message.parts, live, (id) => standsAlone(chosen, id)).map((arranged) =>
    arranged.kind === 'part' ? (
      draw(arranged)
    ) : (
      <ToolGroup key={`group ${arranged.calls[0]?.toolCallId}`} calls={arranged.calls}>
        {() => arranged.members.map(draw)}
      </ToolGroup>
    ),
  )
}

function SteeringPart({ text, author }: { text: string; author: Author | undefined }) {
  const shown = useShownAuthor(author)
  return (
    <div className="steering">
      <CornerDownRight aria-hidden />
      {shown === undefined ? (
        <span className="visually-hidden">{t.chat.youAdded} </span>
      ) : (
        <TeamPart part="MessageAuthor" author={shown} />
      )}
      <span>{text}</span>
    </div>
  )
}

function PartView({
  id,
  part,
  live,
  elapsedMs,
  author,
}: {
  id: string
  part: Part
  live: boolean
  elapsedMs: number | undefined
  author: Author | undefined
}) {
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : <Markdown text={part.text} done={!live || part.state !== 'streaming'} />
    case 'reasoning':
      return part.text.trim() === '' ? null : (
        <ReasoningPart id={id} text={part.text} streaming={live && part.state === 'streaming'} elapsedMs={elapsedMs} />
      )
    case 'steering-message': {
      const text = messageText(part)
      const notice = readNotice({ id: part.id, text })
      if (notice !== undefined) return <AgentNotice id={id} report={notice} />
      return <SteeringPart text={text} author={author} />
    }
    case 'file':
    case 'reasoning-file':
      return (
        <FilePart url={part.url} mediaType={part.mediaType} name={'filename' in part ? part.filename : undefined} />
      )
    // Sources appear together below the answer.
    case 'source-url':
    case 'source-document':
    case 'step-start':
      return null
    default:
      return 'data' in part ? <DataPart id={id} part={part} live={live} /> : null
  }
}

const load = () => import('../parts/rich-parts.ts')

/** Rich message parts. Their code loads on first use or when the page is idle. */
const ToolPart = lazyPart(async () => (await load()).ToolPart)
const DataPart = lazyPart(async () => (await load()).DataPart)
const AgentNotice = lazyPart(async () => (await load()).AgentNotice)

export function preloadRichParts(): () => void {
  if (!('requestIdleCallback' in window)) return () => undefined
  let asked = 0
  // Rendering the messages first takes more than a frame.
  const timer = setTimeout(() => {
    asked = requestIdleCallback(() => void load().catch(() => undefined))
  }, 300)
  return () => {
    clearTimeout(timer)
    cancelIdleCallback(asked)
  }
}

function lazyPart<Props extends object>(find: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazy(async () => {
    // If the server is unreachable or serves a newer page, text parts still render.
    const Part = await find().catch(() => NotLoaded)
    return { default: Part as ComponentType<object> }
  })
  return memo(function LazyPart(props: Props) {
    return (
      <Suspense fallback={<div className="part-coming" />}>
        <Loaded {...props} />
      </Suspense>
    )
  }) as unknown as ComponentType<Props>
}

function NotLoaded() {
  return <p className="part-missing">{t.ui.notLoaded}</p>
}
