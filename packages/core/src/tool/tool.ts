import type { ProjectInfo, Projects } from './projects.ts'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Usage } from '@troupe/protocol'
import type { z } from 'zod'
import type { Access, Confinement, Decision, Grant, Mode } from '../access/decision.ts'
import type { PictureEditor } from './picture-actions.ts'
import type { SpendGuard } from '../model/spend-guard.ts'
import type { AgentState } from './agent-state.ts'
import type { Isolation } from './isolation.ts'
import type { Answer, AskKind } from './asks.ts'
import type { Documents, PagePrinter } from './documents.ts'
import type { Queries } from './queries.ts'
import type { AgentFrame, Agents, Blobs, CodeIntelligence, Media, Transcription } from './services.ts'

/**
 * A tool is an agent's only way to act. Each tool is one file with `defineTool({...})` as its default export, named
 * after the file (`time-now.ts` is `TimeNow`).
 */
// A list of tools holds tools of every input: only `any` lets each keep its own.
// oxlint-disable-next-line typescript/no-explicit-any
export interface Tool<Input = any, Output = any> {
  name: string
  description: string | (() => string)
  /** A zod object, or a zod string for tools that take plain text. Defaults are applied. */
  input: z.ZodType<Input>
  /** JSON Schema shown to the model. Default: generated from `input`. */
  jsonSchema?: Readonly<Record<string, unknown>>
  /** Hidden at first from agents that have every tool. They find it with ToolSearch, or call it by name. */
  deferred?: true
  /** Lists a deferred tool after a call of `tool`, with `flag` set in its input, or after an input that matches `text`. */
  listedAfter?: { tool: string; flag?: string } | { text: string | RegExp }
  /** Lists a deferred tool while the session is in this mode. */
  listedIn?: Mode
  /** Names of tools hidden from the model until this tool returns them as `found` in its output. */
  holds?: ReadonlySet<string>
  /** Changes nothing: may run in parallel with neighbors, start while the model still streams, and run again. */
  readOnly: boolean
  /** Observes something that changes on its own, so identical calls in a row are fine. */
  polls?: true
  /** May run in parallel with calls of the same tool, although it is not read-only. Default: `readOnly`. */
  concurrent: boolean
  /** Handling of a call that a crash interrupted. Default: `rerun` if read-only, else `error`. */
  recover: 'rerun' | 'error'
  group: string
  /** Page action that executes it. Shown to models only while an open page offers the action. */
  pageAction?: string
  /** Time limit in milliseconds, after which the call's signal is aborted. Default: none. */
  timeout?: number
  /** Milliseconds a call may take after an abort to return a partial result. Default: 0. */
  stopMs?: number
  /**
   * The tool's default for approval. Rules can override it, except for `always`. Default, also where the function returns
   * undefined: ask unless read-only.
   */
  needsApproval?:
    | boolean
    | 'always'
    | ((input: Input, ctx: ToolContext) => boolean | undefined | Promise<boolean | undefined>)
  /** Resources the call will access, for rules and defaults. Must not throw, read files or depend on time. */
  touches?(input: Input, place: { cwd: string }): readonly Access[]
  /** Returns an error for the model, or undefined. */
  validate?(input: Input, ctx: ToolContext): string | undefined | void | Promise<string | undefined | void>
  permission?(input: Input): { title: string; summary?: string; content?: unknown }
  /**
   * Computes the effect of the call on the current state, shown in an approval. Called only if a person is asked. Must
   * not change anything. Errors are ignored, because the call itself will report them.
   */
  preview?(input: Input, ctx: ToolContext): unknown
  /**
   * Returns the input that makes only the accepted hunks of the previewed change. Throws the reason, which follows "The
   * user accepted only part of this change, but", if the preview no longer holds or the part cannot be expressed.
   */
  reduce?(input: Input, accepted: ReadonlySet<string>, ctx: ToolContext): Promise<ReducedInput<Input>>
  title?(input: Input): string
  /** Text for the model, if it differs from the output. Called once, and the text is stored. */
  toModel?(output: Output, input: Input): string
  display?(output: Output, input: Input): { title?: string; summary?: string; content?: unknown }
  /**
   * Yielded values are progress, and the returned value is the result. Throw an Error whose message tells the model
   * what to do.
   */
  execute(input: Input, ctx: ToolContext): Promise<Output> | Output | AsyncGenerator<unknown, Output, void>
}

/** Input of a call that a person accepted in part. */
export interface ReducedInput<Input = unknown> {
  input: Input
  accepted: number
  total: number
  /** The rest as a short diff, for the model. */
  rejected: string
}

export type ToolDefinition<Schema extends z.ZodType, Output> = Omit<
  Tool<z.infer<Schema>, Output>,
  'name' | 'input' | 'concurrent' | 'recover'
> & {
  name?: string
  input: Schema
  concurrent?: boolean
  recover?: Tool['recover']
}

export interface ToolContext {
  /** `language`: language of the conversation, detected by its script (`zh`). */
  session: { id: string; language?: string }
  workspace: { id: string; path: string }
  /** The project of the session: a folder inside the workspace. */
  project?: ProjectInfo | undefined
  /** The projects of the workspace. Absent outside a run. */
  projects?: Projects | undefined
  /** The page that started the run, if any. */
  client?: string
  tab?: string
  page?: string
  /** `step` counts the model calls of the run. */
  run: { id: string; attempt: number; step: number }
  /** State of this agent between calls: working directory, files read, background commands. */
  state: AgentState
  /** The master comes first, the calling agent last. */
  frames: readonly AgentFrame[]
  agent: AgentFrame
  chatModel: { id: string; model: LanguageModelV4; guard?: SpendGuard }
  messageId: string
  toolCallId: string
  /** An earlier process started this call. Its asks and their answers are found again. */
  resumed?: true
  /** Aborted by a stop, by the call's time limit, or when the run ends. */
  signal: AbortSignal
  /** Adds a `data-<name>` part to the stream. It is stored unless `transient` is set or the name is never stored. */
  emit(name: string, data: unknown, options?: { id?: string; transient?: boolean }): void
  /** Asks the user or the open page, and waits. After a restart the same ask is found again. */
  ask(request: AskRequest): Promise<Answer>
  /** Data from the approval of this call. Can be read once. */
  approval?: unknown
  /** Permission of this call. Absent outside a run, which means no confinement and no access outside. */
  granted?: {
    confinement: Confinement
    grants: readonly Grant[]
    forbidden?: Decision['forbidden']
    hides?: (real: string) => boolean
    approved?: boolean
  }
  /** Mode of the session. A tool may change it once the user agrees. */
  mode?: { get(): Mode; set(mode: Mode): Promise<void> }
  /** Journals a process group started by this call (pid of its leader), so that it never outlives a crash. */
  process(pid: number): Promise<void>
  /** Sub-agents of this run. Absent if there can be none. */
  agents?: Agents | undefined
  lastOutput(toolName: string): unknown
  /** Adds the call's use of the session's model to the run. Absent outside a run. */
  spend?(usage: Usage): void
  settings(name: string): unknown
  blobs?: Blobs
  /** Generates images and videos. Absent if not available. */
  media?: Media | undefined
  /** Drives a browser. Absent if there is none. */
  browser?: Browser | undefined
  code?: CodeIntelligence | undefined
  documents?: Documents | undefined
  /** Absent if pages cannot be printed. */
  printer?: PagePrinter | undefined
  /** Runs SQL over files and databases. Absent if not available. */
  queries?: Queries | undefined
  pictures?: PictureEditor | undefined
  transcription?: Transcription | undefined
  credentials(provider: string): Promise<{ apiKey?: string; baseURL?: string } | undefined>
}

export interface AskRequest {
  kind: AskKind
  title: string
  summary?: string
  content?: unknown
  /** Time limit for the answer. Ignored for people, who have no limit. */
  timeoutMs?: number
}

export function defineTool<Schema extends z.ZodType, Output>(
  definition: ToolDefinition<Schema, Output>,
): Tool<z.infer<Schema>, Output> {
  const { readOnly } = definition
  return {
    concurrent: readOnly,
    recover: readOnly ? 'rerun' : 'error',
    ...definition,
    name: definition.name ?? '',
  } as Tool<z.infer<Schema>, Output>
}

const resultMark = Symbol.for('troupe.tool-result')

export function withModelText<Output>(output: Output, modelText: string): Output {
  return { [resultMark]: true, output, modelText } as Output
}

export function unwrapResult(returned: unknown): { output: unknown; modelText?: string } {
  if (typeof returned === 'object' && returned !== null && resultMark in returned) {
    const { output, modelText } = returned as unknown as { output: unknown; modelText: string }
    return { output, modelText }
  }
  return { output: returned }
}

export function isStringTool(tool: Tool): boolean {
  return schemaType(tool.input) === 'string'
}

/** Ignores case and separators: `open-url` finds `OpenUrl`. */
export function toolKey(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/** `time-now` becomes `TimeNow`. */
function toolNameOfFile(fileName: string): string {
  return fileName
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Throws an Error that explains what is wrong with a file's default export. */
export function checkTool(value: unknown, fileName: string): Tool {
  if (typeof value !== 'object' || value === null)
    throw new Error('the default export is not a tool; use defineTool({...})')
  const tool = { ...(value as Tool) }
  tool.name ||= toolNameOfFile(fileName)
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(tool.name)) {
    throw new Error(
      `"${tool.name}" is not a valid tool name. Use a letter followed by letters, digits, "_" or "-", up to 64 characters`,
    )
  }
  if (typeof tool.description !== 'string' && typeof tool.description !== 'function')
    throw new Error('description is missing')
  if (typeof tool.execute !== 'function') throw new Error('execute is not a function')
  if (typeof tool.readOnly !== 'boolean') throw new Error('readOnly must be true or false')
  if (typeof tool.group !== 'string' || tool.group === '') throw new Error('group is missing')
  const type = schemaType(tool.input)
  // With a custom JSON Schema, `input` only validates.
  if (tool.jsonSchema === undefined && type !== 'object' && type !== 'string')
    throw new Error('input must be a zod object or a zod string')
  tool.concurrent ??= tool.readOnly
  tool.recover ??= tool.readOnly ? 'rerun' : 'error'
  return tool
}

function schemaType(schema: unknown): string | undefined {
  return (schema as { _zod?: { def?: { type?: string } } } | undefined)?._zod?.def?.type
}

/** Browsers for tools: one per session, without any data of the user. */
export interface Browser {
  /** Returns a separate page for an agent, in the browser of its session. Starts nothing until the page is opened. */
  newPage(sessionId: string, isolation?: Isolation): BrowserPage
  /** Returns the reason a URL would be refused, as far as known without a request. */
  refusalOf?(url: URL): Promise<string | undefined>
}

export type BrowserCall = Pick<ToolContext, 'signal' | 'process' | 'run' | 'toolCallId'>

/**
 * One page. Its calls run one at a time. All except `open` throw while nothing is open. A page navigates only to hosts
 * that
 * `open` was called for. A note reports other attempts.
 */
export interface BrowserPage {
  /** Throws if the URL is not on the public web. */
  open(url: string, call: BrowserCall): Promise<PageLook>
  look(call: BrowserCall): Promise<PageLook>
  /** Describes an element as in the outline: `button "Send"`. */
  describe(ref: string, call: BrowserCall): Promise<string>
  /** HTML of the whole page or of an element, or only of its tables. */
  html(part: { ref?: string | undefined; tables?: boolean }, call: BrowserCall): Promise<{ url: string; html: string }>
  links(ref: string | undefined, call: BrowserCall): Promise<{ url: string; links: { text: string; url: string }[] }>
  act(act: PageAct, call: BrowserCall): Promise<PageLook & { element?: string }>
  wait(until: PageCondition, ms: number, call: BrowserCall): Promise<boolean>
  picture(call: BrowserCall): Promise<PagePicture>
  dispose(): Promise<void>
}

export interface PageLook {
  url: string
  title: string
  /** HTTP status, if the page was just opened. */
  status?: number
  outline: readonly OutlineNode[]
  /** Sentences about other events: blocked navigation, dialogs, downloads. Each is reported once. */
  notes: readonly string[]
}

/** A text, or an element as assistive technology sees it. */
export type OutlineNode =
  | string
  | {
      readonly role: string
      readonly name?: string
      readonly text?: string
      readonly ref?: string
      readonly url?: string
      readonly cursor?: string
      readonly children?: readonly OutlineNode[]
      readonly [state: string]: unknown
    }

export interface PageAct {
  action: 'click' | 'type' | 'select' | 'press' | 'scroll' | 'back'
  /** Approved origin. Nothing happens if the page is elsewhere. */
  origin: string
  ref?: string | undefined
  /** Text to type, option to select, or key to press. */
  text?: string | undefined
  submit?: boolean | undefined
  direction?: 'up' | 'down' | undefined
}

export type PageCondition =
  | { kind: 'text' | 'gone'; text: string }
  | { kind: 'ref'; ref: string }
  /** Substring of the URL. */
  | { kind: 'url'; url: string }
  | { kind: 'time' }

export interface PagePicture {
  bytes: Uint8Array
  mediaType: string
  width: number
  height: number
}
