import type { Part } from '@troupe/protocol'
import { formatToolName } from '../../texts/format.ts'
import { t } from '../../texts/t.ts'
import { isPlan } from '../session/active-plan.ts'
import {
  callNotes,
  callSubject,
  getToolName,
  isToolCall,
  type ToolCallPart,
  toolKey,
} from '../session/message-parts.ts'

/** A part of an answer with its index, or finished tool calls that are shown as one line. */
export type ArrangedPart =
  | { kind: 'part'; part: Part; index: number; planId?: string | undefined }
  | { kind: 'calls'; members: { part: Part; index: number }[]; calls: ToolCallPart[] }

const fewestCalls = 2

/**
 * Groups finished tool calls that follow each other, with the reasoning between them. Calls that failed, wait or show
 * something to the user stay outside, and so do the newest call of a running answer and those the user opened there. All
 * states of a plan are one card, in the place of the first.
 */
export function arrangeParts(
  parts: readonly Part[],
  live: boolean,
  standsAlone: (toolCallId: string) => boolean = () => false,
): ArrangedPart[] {
  const newest = live ? parts.findLast(isToolCall) : undefined
  const arranged: ArrangedPart[] = []
  let members: { part: Part; index: number }[] = []
  let calls: ToolCallPart[] = []
  let after: { part: Part; index: number }[] = []
  const flush = (): void => {
    if (calls.length >= fewestCalls) arranged.push({ kind: 'calls', members, calls })
    else for (const member of members) arranged.push({ kind: 'part', ...member })
    for (const member of after) arranged.push({ kind: 'part', ...member })
    members = []
    calls = []
    after = []
  }
  const plans: Part[] = parts.filter(isPlan)
  for (const [index, given] of parts.entries()) {
    // One plan that changes in place. Its earlier states would repeat it.
    if (plans.includes(given) && given !== plans[0]) continue
    const part = given === plans[0] ? (plans.at(-1) ?? given) : given
    if (isToolCall(part) && part !== newest && isQuiet(part) && !standsAlone(part.toolCallId)) {
      members.push(...after, { part, index })
      calls.push(part)
      after = []
    } else if (calls.length > 0 && (part.type === 'reasoning' || isInvisible(part))) {
      after.push({ part, index })
    } else {
      flush()
      arranged.push({ kind: 'part', part, index, planId: isPlan(given) ? given.toolCallId : undefined })
    }
  }
  flush()
  return arranged
}

function isInvisible(part: Part): boolean {
  return (
    part.type === 'step-start' ||
    part.type === 'source-url' ||
    part.type === 'source-document' ||
    (part.type === 'text' && part.text === '')
  )
}

/** Results of these tools are made for the user, or report what an agent does. */
const shownTools = new Set([
  'askuserquestion',
  'chartrender',
  'exitplanmode',
  'imageedit',
  'imagegenerate',
  'jsonrender',
  'jsxcreate',
  'notify',
  'openurl',
  'pickfile',
  'readclipboard',
  'sendinput',
  'abortagent',
  'showpanel',
  'task',
  'todowrite',
  'undo',
  'videogenerate',
  'waitagent',
])

function isQuiet(part: ToolCallPart): boolean {
  if (part.state !== 'output-available' || ('preliminary' in part && part.preliminary === true)) return false
  if (shownTools.has(toolKey(getToolName(part)))) return false
  // A tool that is not set up tells the user how to do that.
  if (typeof (part.output as { setup?: unknown } | null | undefined)?.setup === 'string') return false
  const { exitCode, status } = (callNotes(part).display?.content ?? {}) as { exitCode?: unknown; status?: unknown }
  return (exitCode === undefined || exitCode === 0) && (status === undefined || status === 'done' || status === 'ended')
}

/** `Read 3 files, ran a command, edited app.ts`. */
export function summarizeCalls(calls: readonly ToolCallPart[]): string {
  const kinds = Map.groupBy(calls, (call) => kindOf(getToolName(call)))
  const said = [...kinds].map(([kind, own]) => describe(kind, own)).join(t.calls.and)
  return said.charAt(0).toUpperCase() + said.slice(1)
}

type CallKind = keyof typeof t.calls.did | `other ${string}`

const kindByTool: Record<string, keyof typeof t.calls.did> = {
  read: 'read',
  listdir: 'searched',
  glob: 'searched',
  grep: 'searched',
  edit: 'edited',
  write: 'edited',
  applypatch: 'edited',
  notebookedit: 'edited',
  officeexecute: 'edited',
  query: 'queried',
  querywrite: 'changedData',
  bash: 'ran',
  execcommand: 'ran',
  writestdin: 'ran',
  taskoutput: 'ran',
  jsrepl: 'ran',
  webfetch: 'fetched',
  websearch: 'searchedWeb',
  timenow: 'checkedTime',
}

function kindOf(name: string): CallKind {
  return kindByTool[toolKey(name)] ?? `other ${name}`
}

function describe(kind: CallKind, calls: readonly ToolCallPart[]): string {
  if (kind.startsWith('other ')) return t.calls.used(formatToolName(kind.slice('other '.length)), calls.length)
  const subjects = new Set(calls.map((call) => callSubject(call.input) ?? ''))
  const [only = ''] = subjects
  const name = subjects.size === 1 && (kind === 'read' || kind === 'edited') ? (only.split(/[\\/]/).at(-1) ?? '') : ''
  const count = kind === 'read' || kind === 'edited' || kind === 'fetched' ? subjects.size : calls.length
  return t.calls.did[kind as keyof typeof t.calls.did](count, name)
}
