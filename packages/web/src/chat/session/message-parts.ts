import { type CallNotes, type DataParts, type dataParts, type Part, stoppedText } from '@troupe/protocol'
import { formatToolName } from '../../texts/format.ts'
import { translateServerText } from '../../texts/server-texts.ts'

/** A part of an answer that is a call of a tool. */
export type ToolCallPart = Extract<Part, { toolCallId: string }>

/** What a card shows of a call. */
export interface ToolCall {
  toolCallId: string
  name: string
  state: ToolCallPart['state']
  /** What the model sent, as far as it has arrived; while it waits for approval, what would run. */
  input: unknown
  output: unknown
  errorText: string | undefined
  approval: Approval | undefined
  notes: CallNotes
  progress: Progress | undefined
  /** The best short name for what is being done. */
  title: string
  summary: string | undefined
  /** Something is still going to happen without a person. */
  running: boolean
  /** The person stopped the run before the call had a result: nothing went wrong. */
  stopped: boolean
  /** No later call of the answer uses the same tool. */
  latest: boolean
}

export interface Approval {
  id: string
  approved?: boolean
  /** Why it was asked. */
  requestReason?: string
  /** What the person said. */
  reason?: string
  isAutomatic?: boolean
  descriptor?: {
    title?: string
    summary?: string
    content?: unknown
    /** What would run, where a hook has changed what the model gave. */
    input?: unknown
    /** Rules that would stop the asking. */
    remember?: unknown
    /** The commands that were found in a shell call. */
    commands?: unknown
  }
}

/** What every card gets. */
export interface CardProps {
  call: ToolCall
}

export function isToolCall(part: Part): part is ToolCallPart {
  return 'toolCallId' in part
}

export function getToolName(part: ToolCallPart): string {
  return part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
}

/** What the page knows about a call beyond its part. */
export interface CallSituation {
  progress: Progress | undefined
  live: boolean
  latest: boolean
  /** The person stopped the answer. */
  aborted?: boolean
}

export function readToolCall(part: ToolCallPart, situation: CallSituation): ToolCall {
  const { progress, live, latest, aborted = false } = situation
  const name = getToolName(part)
  const notes: CallNotes = (part.toolMetadata as { troupe?: CallNotes } | undefined)?.troupe ?? {}
  const approval = part.approval as Approval | undefined
  const shown = notes.display ?? notes.permission ?? approval?.descriptor
  // What is to be approved is named by the tool, not by the model that called it.
  const named = part.state === 'approval-requested' ? undefined : notes.actionName
  const input = (part.state === 'approval-requested' ? approval?.descriptor?.input : undefined) ?? part.input
  return {
    toolCallId: part.toolCallId,
    name,
    state: part.state,
    input,
    output: part.state === 'output-available' ? part.output : undefined,
    errorText: part.state === 'output-error' ? part.errorText : undefined,
    approval,
    notes,
    progress,
    latest,
    stopped: (live || aborted) && part.state === 'output-error' && part.errorText === stoppedText,
    title: named ?? translateTitle(shown?.title ?? notes.actionName ?? part.title ?? formatToolName(name), name),
    summary:
      shown?.summary === undefined
        ? notes.display === undefined
          ? callSubject(input)
          : undefined
        : translateServerText(shown.summary, 'summary'),
    running:
      live &&
      (['input-streaming', 'input-available', 'approval-responded'].includes(part.state) ||
        ('preliminary' in part && part.preliminary === true)),
  }
}

const subjects = ['file_path', 'notebook_path', 'path', 'command', 'cmd', 'pattern', 'url', 'query', 'task_id'] as const

/** What a call without a result is about, where its input names it by one of the usual words. */
export function callSubject(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const fields = input as Record<string, unknown>
  const subject = subjects.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '')
  return typeof subject === 'string' ? subject.trim().split('\n', 1)[0]?.slice(0, 200) : undefined
}

/** Titles of these are words of the model. */
const titledByModel = new Set([
  'bash',
  'execcommand',
  'task',
  'todowrite',
  'askuserquestion',
  'jsonrender',
  'chartrender',
])

function translateTitle(title: string, name: string): string {
  const isOurs = !titledByModel.has(name.replaceAll(/[^a-z]/gi, '').toLowerCase())
  return isOurs ? translateServerText(title, 'action', 'title') : translateServerText(title, 'action')
}

/** What a running tool has said so far. Text runs on; anything else is kept as it came. */
export interface Progress {
  text: string
  last: unknown
  /** Of a picture or a film that is being made. */
  media?: MediaProgress
}

export interface MediaProgress {
  model?: string | undefined
  elapsedMs?: number | undefined
  /** From 0 to 1, where whoever makes it says so. */
  progress?: number | undefined
}

const shownCharacters = 20_000
const noProgress: Progress = { text: '', last: undefined }

/** Adds one yield of a tool. Only the end of a long text is kept: it is what a person watches. */
export function addProgress(progress: Progress | undefined, delta: unknown): Progress {
  const before = progress ?? noProgress
  if (typeof delta === 'string') return { ...before, text: lastOf(before.text + delta) }
  return { ...before, last: delta }
}

export function addMediaProgress(progress: Progress | undefined, news: MediaProgress): Progress {
  const { model = progress?.media?.model, elapsedMs, progress: part } = news
  return { ...(progress ?? noProgress), media: { model, elapsedMs, progress: part } }
}

/** From the beginning of a line on where one is near: a colour sequence that is cut in two would be read as text. */
function lastOf(text: string): string {
  if (text.length <= shownCharacters) return text
  const end = text.slice(-shownCharacters)
  const line = end.indexOf('\n') + 1
  return line > 0 && line < shownCharacters / 2 ? end.slice(line) : end
}

/** The data of a part or chunk if it is the one of this name. */
export function partData<Name extends keyof typeof dataParts>(
  item: { type: string },
  name: Name,
): DataParts[Name] | undefined {
  return item.type === `data-${name}` ? (item as unknown as { data: DataParts[Name] }).data : undefined
}
