import { type CallNotes, type DataParts, type dataParts, type Part, stoppedText } from '@troupe/protocol'
import { formatToolName } from '../../texts/format.ts'
import { translateServerText, translateSummary } from '../../texts/server-texts.ts'

export type ToolCallPart = Extract<Part, { toolCallId: string }>

export interface ToolCall {
  toolCallId: string
  name: string
  state: ToolCallPart['state']
  /** Input received from the model so far. While awaiting approval, the input that would run. */
  input: unknown
  output: unknown
  errorText: string | undefined
  approval: Approval | undefined
  notes: CallNotes
  progress: Progress | undefined
  title: string
  summary: string | undefined
  /** True if the call can still progress without the user. */
  running: boolean
  /** True if the user stopped the run before the call had a result. This is not a failure. */
  stopped: boolean
  /** True if no later call in the answer uses the same tool. */
  latest: boolean
  /** Key of the open or closed state of its card. Default: the id of the call. */
  disclosure?: string | undefined
}

export interface Approval {
  id: string
  approved?: boolean
  /** Reason for the approval request. */
  requestReason?: string
  /** Reason given by the user. */
  reason?: string
  isAutomatic?: boolean
  descriptor?: {
    title?: string
    summary?: string
    content?: unknown
    /** Input that would run, if a hook changed the model's input. */
    input?: unknown
    /** Rules that would stop this prompt. */
    remember?: unknown
    commands?: unknown
  }
}

export interface CardProps {
  call: ToolCall
}

export function isToolCall(part: Part): part is ToolCallPart {
  return 'toolCallId' in part
}

export function getToolName(part: ToolCallPart): string {
  return part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
}

/** Names match regardless of case and separators, as they do for the model. */
export function toolKey(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

export function callNotes({ toolMetadata }: ToolCallPart): CallNotes {
  return (toolMetadata as { troupe?: CallNotes } | undefined)?.troupe ?? {}
}

export interface CallSituation {
  progress: Progress | undefined
  live: boolean
  latest: boolean
  /** True if the user stopped the answer. */
  aborted?: boolean
  disclosure?: string | undefined
}

export function readToolCall(part: ToolCallPart, situation: CallSituation): ToolCall {
  const { progress, live, latest, aborted = false, disclosure } = situation
  const name = getToolName(part)
  const notes = callNotes(part)
  const approval = part.approval as Approval | undefined
  const shown = notes.display ?? notes.permission ?? approval?.descriptor
  // While awaiting approval, the title comes from the tool, never from the model.
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
    disclosure,
    stopped: (live || aborted) && part.state === 'output-error' && part.errorText === stoppedText,
    title: named ?? translateTitle(shown?.title ?? notes.actionName ?? part.title ?? formatToolName(name), name),
    summary:
      shown?.summary === undefined
        ? notes.display === undefined
          ? callSubject(input)
          : undefined
        : translateSummary(shown.summary),
    running:
      live &&
      (['input-streaming', 'input-available', 'approval-responded'].includes(part.state) ||
        ('preliminary' in part && part.preliminary === true)),
  }
}

const subjects = ['file_path', 'notebook_path', 'path', 'command', 'cmd', 'pattern', 'url', 'query', 'task_id'] as const

/** Subject of a call without a result, taken from common input fields. */
export function callSubject(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const fields = input as Record<string, unknown>
  const subject = subjects.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '')
  return typeof subject === 'string' ? subject.trim().split('\n', 1)[0]?.slice(0, 200) : undefined
}

/** The model writes the titles of these tools. */
const titledByModel = new Set([
  'bash',
  'execcommand',
  'task',
  'todowrite',
  'askuserquestion',
  'jsonrender',
  'chartrender',
  'jsxcreate',
])

function translateTitle(title: string, name: string): string {
  const isOurs = !titledByModel.has(name.replaceAll(/[^a-z]/gi, '').toLowerCase())
  return isOurs ? translateServerText(title, 'action', 'title') : translateServerText(title, 'action')
}

/** Progress of a running tool. Text accumulates; other values are kept as received. */
export interface Progress {
  text: string
  last: unknown
  media?: MediaProgress
}

export interface MediaProgress {
  model?: string | undefined
  elapsedMs?: number | undefined
  /** From 0 to 1, if the provider reports it. */
  progress?: number | undefined
}

const shownCharacters = 20_000
const noProgress: Progress = { text: '', last: undefined }

/** Adds one progress event. Keeps only the end of long text. */
export function addProgress(progress: Progress | undefined, delta: unknown): Progress {
  const before = progress ?? noProgress
  if (typeof delta === 'string') return { ...before, text: lastOf(before.text + delta) }
  return { ...before, last: delta }
}

export function addMediaProgress(progress: Progress | undefined, news: MediaProgress): Progress {
  const { model = progress?.media?.model, elapsedMs, progress: part } = news
  return { ...(progress ?? noProgress), media: { model, elapsedMs, progress: part } }
}

/** Cuts at a line start if one is near. A color sequence cut in two would show up as text. */
function lastOf(text: string): string {
  if (text.length <= shownCharacters) return text
  const end = text.slice(-shownCharacters)
  const line = end.indexOf('\n') + 1
  return line > 0 && line < shownCharacters / 2 ? end.slice(line) : end
}

/** Returns the data of the part or chunk if it has this name. */
export function partData<Name extends keyof typeof dataParts>(
  item: { type: string },
  name: Name,
): DataParts[Name] | undefined {
  return item.type === `data-${name}` ? (item as unknown as { data: DataParts[Name] }).data : undefined
}
