import { CornerDownRight } from 'lucide-react'
import type { Part } from '@troupe/core/protocol'
import { Markdown } from '../markdown/markdown.tsx'
import { readNotice } from '../sub-agents/read-notice.ts'
import { translateServerText } from '../texts/said.ts'
import { t } from '../texts/t.ts'
import { FilePart } from './file-part.tsx'
import { AgentNotice, DataPart, ToolPart } from './lazy-parts.tsx'
import { ReasoningPart } from './reasoning-part.tsx'
import { reasoningTimes } from './reasoning-times.ts'
import type { VisibleMessage } from './session-state.ts'
import { messageText } from './session-state.ts'
import { isToolCall, getToolName } from './tool-call.ts'
import type { Progress } from './tool-progress.ts'

/** The parts of an answer in their order. A part that did not change keeps its identity and is not drawn again. */
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
  // A command's answer is the server's, not a model's.
  const isOfServer = !live && finishReason !== undefined && elapsedMs === undefined
  return message.parts.map((part, index) =>
    isToolCall(part) ? (
      <ToolPart
        key={part.toolCallId}
        part={part}
        progress={progress?.[part.toolCallId]}
        live={live}
        aborted={message.metadata?.aborted === true}
        latest={latest.get(getToolName(part)) === part.toolCallId}
      />
    ) : (
      <PartView
        key={index}
        id={`${message.id}-${index}`}
        part={isOfServer && part.type === 'text' ? { ...part, text: translateServerText(part.text, 'text') } : part}
        live={live}
        elapsedMs={thoughtMs.get(part)}
      />
    ),
  )
}

function PartView({
  id,
  part,
  live,
  elapsedMs,
}: {
  id: string
  part: Part
  live: boolean
  elapsedMs: number | undefined
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
      return (
        <div className="steering">
          <CornerDownRight aria-hidden />
          <span className="visually-hidden">{t.chat.saidMeanwhile} </span>
          <span>{text}</span>
        </div>
      )
    }
    case 'file':
    case 'reasoning-file':
      return (
        <FilePart url={part.url} mediaType={part.mediaType} name={'filename' in part ? part.filename : undefined} />
      )
    // They stand together below the answer.
    case 'source-url':
    case 'source-document':
    case 'step-start':
      return null
    default:
      return 'data' in part ? <DataPart id={id} part={part} live={live} /> : null
  }
}
