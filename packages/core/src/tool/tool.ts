import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Usage } from '@troupe/protocol'
import type { z } from 'zod'
import type { Access, Confinement, Decision, Grant, Mode } from '../access/decision.ts'
import type { AgentState } from './agent-state.ts'
import type { Answer, AskKind } from './asks.ts'
import type { AgentFrame, Agents, Blobs, Media } from './services.ts'

/**
 * A tool is the only way an agent touches the world: one file, whose default export is `defineTool({...})` and whose
 * name is the file's (`time-now.ts` is `TimeNow`).
 */
// A list of tools holds tools of every input: only `any` lets each keep its own.
// oxlint-disable-next-line typescript/no-explicit-any
export interface Tool<Input = any, Output = any> {
  name: string
  /** Tells the model when to use it. */
  description: string | (() => string)
  /** A zod object, or a zod string for tools that take plain text. Defaults are applied. */
  input: z.ZodType<Input>
  /** What the model is shown of the input, where that comes from elsewhere. Default: made from `input`. */
  jsonSchema?: Readonly<Record<string, unknown>>
  /** Agents that have every tool are not told of it from the start: they find it with ToolSearch, or call it by name. */
  deferred?: true
  /** A deferred tool is listed once such a call was made. */
  listedAfter?(call: { name: string; input: Record<string, unknown> }): boolean
  /** A deferred tool is listed while the session is in this mode. */
  listedIn?: Mode
  /** Names of tools that a model is shown only once this one has found them, as `found` in its output. */
  holds?: ReadonlySet<string>
  /** Changes nothing: may run beside its neighbours, may start while the model still speaks, may run again. */
  readOnly: boolean
  /** Looks at something that goes on without it: the same call may be made any number of times in a row. */
  polls?: true
  /** May run beside its like although it is not read-only. Default: `readOnly`. */
  concurrent: boolean
  /** What happens to a call that a crash cut short. Default: `rerun` when read-only, else `error`. */
  recover: 'rerun' | 'error'
  /** The capability group through which agents ask for it. */
  group: string
  /** Carried out by an open page, by this action of it. A model is shown it only while some page offers that. */
  pageAction?: string
  /** Milliseconds; the call's signal is aborted then. None by default. */
  timeout?: number
  /** How long a call may take, once its signal is aborted, to return what it has by then. Default: no time at all. */
  stopMs?: number
  /**
   * The tool's own word on whether a person is asked; rules may say otherwise, but for `always`. Default: asked unless
   * read-only.
   */
  needsApproval?: boolean | 'always' | ((input: Input, ctx: ToolContext) => boolean | Promise<boolean>)
  /** What the call is about to touch; rules and defaults go by it. Must not throw, look at files or depend on time. */
  touches?(input: Input, place: { cwd: string }): readonly Access[]
  /** A complaint for the model, or nothing. */
  validate?(input: Input, ctx: ToolContext): string | undefined | void | Promise<string | undefined | void>
  /** What a person is shown when asked. */
  permission?(input: Input): { title: string; summary?: string; content?: unknown }
  /**
   * What the call would do to the world as it is, as the content that a person is shown; worked out only when one is
   * asked. Changes nothing. What it throws is passed over: the call itself will say it.
   */
  preview?(input: Input, ctx: ToolContext): unknown
  title?(input: Input): string
  /** What the model reads, when it is not the output itself. Called once; its text is stored. */
  toModel?(output: Output, input: Input): string
  /** What the result card shows. */
  display?(output: Output, input: Input): { title?: string; summary?: string; content?: unknown }
  /** Yields are progress, the returned value is the result. Throw an Error whose message tells the model what to do. */
  execute(input: Input, ctx: ToolContext): Promise<Output> | Output | AsyncGenerator<unknown, Output, void>
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

/** Everything a call may know, handed to it. */
export interface ToolContext {
  /** `language`: that of the conversation, as far as its script tells (`zh`). */
  session: { id: string; language?: string }
  workspace: { id: string; path: string }
  /** The page that started the run, where one did. */
  client?: string
  tab?: string
  page?: string
  /** `step` counts the model calls of the run. */
  run: { id: string; attempt: number; step: number }
  /** What this agent remembers between its calls: working directory, files it has read, background commands. */
  state: AgentState
  /** Master first, the calling agent last. */
  frames: readonly AgentFrame[]
  agent: AgentFrame
  chatModel: { id: string; model: LanguageModelV4 }
  /** The id of the answer being written. */
  messageId: string
  toolCallId: string
  /** An earlier process had begun this very call: what it asked and was answered is found again. */
  resumed?: true
  /** Aborted by stop, by the call's time limit, or when the run ends. */
  signal: AbortSignal
  /** Adds a `data-<name>` part to the stream; stored unless `transient` or a name that never is. */
  emit(name: string, data: unknown, options?: { id?: string; transient?: boolean }): void
  /** Asks the person or the open page, and waits. After a restart the same ask is found again. */
  ask(request: AskRequest): Promise<Answer>
  /** What the approval of this very call carried. Can be read once. */
  approval?: unknown
  /** What the permission of this very call comes with. Absent outside a run: no confinement, nothing outside. */
  granted?: {
    confinement: Confinement
    grants: readonly Grant[]
    forbidden?: Decision['forbidden']
    hides?: (real: string) => boolean
    /** A person said yes to this very call. */
    approved?: boolean
  }
  /** The mode that the session is in; a tool may move it on once the person has said so. */
  mode?: { get(): Mode; set(mode: Mode): Promise<void> }
  /** Journals a process group that this call started (its leader's pid), so that it never outlives a crash. */
  process(pid: number): Promise<void>
  /** The sub-agents of this run; absent where there can be none. */
  agents?: Agents | undefined
  /** The newest output of a tool in this conversation, by the tool's name. */
  lastOutput(toolName: string): unknown
  /** Counts to the run what the call used of the session's model. Absent outside a run. */
  spend?(usage: Usage): void
  /** A section of the settings, for tools that have one. */
  settings(name: string): unknown
  blobs?: Blobs
  /** Makes pictures and films; absent where nothing can. */
  media?: Media | undefined
  /** Drives a browser; absent where there is none. */
  browser?: Browser | undefined
  /** Credentials of a provider, for tools that call one directly. */
  credentials(provider: string): Promise<{ apiKey?: string; baseURL?: string } | undefined>
}

export interface AskRequest {
  kind: AskKind
  title: string
  summary?: string
  content?: unknown
  /** How long the answer may take; people are given all the time they want. */
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

/** A result whose text for the model belongs to this call alone. */
export function withModelText<Output>(output: Output, modelText: string): Output {
  return { [resultMark]: true, output, modelText } as Output
}

/** Splits what a tool returned into its output and the text that came with it. */
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

/** Names match ignoring case and separators: `open-url` finds `OpenUrl`. */
export function toolKey(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/** `time-now` is `TimeNow`. */
function toolNameOfFile(fileName: string): string {
  return fileName
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Throws an Error that says what is wrong with a file's default export. */
export function checkTool(value: unknown, fileName: string): Tool {
  if (typeof value !== 'object' || value === null)
    throw new Error('the default export is not a tool; use defineTool({...})')
  const tool = { ...(value as Tool) }
  tool.name ||= toolNameOfFile(fileName)
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(tool.name)) {
    throw new Error(`"${tool.name}" is not a tool name: a letter, then letters, digits, "_" or "-", at most 64`)
  }
  if (typeof tool.description !== 'string' && typeof tool.description !== 'function')
    throw new Error('description is missing')
  if (typeof tool.execute !== 'function') throw new Error('execute is not a function')
  if (typeof tool.readOnly !== 'boolean') throw new Error('readOnly must be true or false')
  if (typeof tool.group !== 'string' || tool.group === '') throw new Error('group is missing')
  const type = schemaType(tool.input)
  // With a JSON Schema of its own, `input` only checks.
  if (tool.jsonSchema === undefined && type !== 'object' && type !== 'string')
    throw new Error('input must be a zod object or a zod string')
  tool.concurrent ??= tool.readOnly
  tool.recover ??= tool.readOnly ? 'rerun' : 'error'
  return tool
}

function schemaType(schema: unknown): string | undefined {
  return (schema as { _zod?: { def?: { type?: string } } } | undefined)?._zod?.def?.type
}

/** Browsers that tools drive: one for each session, with nothing of the person's own in it. */
export interface Browser {
  /** A page of its own for an agent, in the browser of its session. Nothing is started before it is opened. */
  newPage(sessionId: string): BrowserPage
  /** Why an address would not be opened, as far as that is known without asking anybody for it. */
  refusalOf?(url: URL): Promise<string | undefined>
}

/** What a call lends to the page it works with. */
export type BrowserCall = Pick<ToolContext, 'signal' | 'process' | 'run' | 'toolCallId'>

/**
 * One page. Its calls wait for each other. All but `open` throw while nothing is open. A page goes only to hosts that
 * `open` was called for; where it wants to go elsewhere, a note says so.
 */
export interface BrowserPage {
  /** Throws for what is not an address of the public web. */
  open(url: string, call: BrowserCall): Promise<PageLook>
  look(call: BrowserCall): Promise<PageLook>
  /** What an element is, as it stands in the outline: `button "Send"`. */
  describe(ref: string, call: BrowserCall): Promise<string>
  /** HTML of the whole page or of an element; of its tables alone where those are wanted. */
  html(part: { ref?: string | undefined; tables?: boolean }, call: BrowserCall): Promise<{ url: string; html: string }>
  links(ref: string | undefined, call: BrowserCall): Promise<{ url: string; links: { text: string; url: string }[] }>
  act(act: PageAct, call: BrowserCall): Promise<PageLook & { element?: string }>
  /** Whether it has come about in time. */
  wait(until: PageCondition, ms: number, call: BrowserCall): Promise<boolean>
  /** What is to be seen of the page now. */
  picture(call: BrowserCall): Promise<PagePicture>
  dispose(): Promise<void>
}

export interface PageLook {
  url: string
  title: string
  /** Of the answer that brought the page, where it was just opened. */
  status?: number
  outline: readonly OutlineNode[]
  /** What happened besides, in sentences: refused ways, dialogs, downloads. Each is told once. */
  notes: readonly string[]
}

/** A text, or an element as assistive programs see it. */
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
  /** The origin that leave was given for: nothing is done when the page is elsewhere. */
  origin: string
  ref?: string | undefined
  /** What is typed, the option that is chosen, or the key that is pressed. */
  text?: string | undefined
  /** Enter is pressed after typing. */
  submit?: boolean | undefined
  direction?: 'up' | 'down' | undefined
}

export type PageCondition =
  | { kind: 'text' | 'gone'; text: string }
  | { kind: 'ref'; ref: string }
  /** A part of the address. */
  | { kind: 'url'; url: string }
  | { kind: 'time' }

export interface PagePicture {
  bytes: Uint8Array
  mediaType: string
  width: number
  height: number
}
