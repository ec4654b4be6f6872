import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import path from 'node:path'
import {
  type AgentsNote,
  type Blobs,
  checkInput,
  compileRules,
  type Decision,
  decideCall,
  findSandbox,
  getBuiltinTools,
  isInside,
  type Policy,
  readAgentsNotes,
  type RuleLine,
  type SandboxFinding,
  type Tool,
  type ToolContext,
  unwrapResult,
} from '@troupe/core'
import { openDocuments } from '@troupe/documents'
import type { JoinCall, JoinPolicy, JoinRequest, NodeMessage } from '@troupe/protocol'
import { createAgentStates } from '../agents/agent-states.ts'
import { createProjectConfigs, openConfig, toolSettings } from '../config/config.ts'
import { openLsp } from '../lsp/open-lsp.ts'
import { managedFile } from '../permission/permissions.ts'
import { openRuleLayers } from '../permission/rule-layers.ts'
import { isTrusted } from '../stores/sqlite.ts'
import type { Logger } from '../util/logger.ts'
import { remoteNames } from './remote-names.ts'

/** What a call sends back before its result. */
export type CallReport =
  | Pick<Extract<NodeMessage, { type: 'progress' }>, 'type' | 'delta'>
  | Omit<Extract<NodeMessage, { type: 'emit' }>, 'id'>

/** Executes the calls of a server on this computer. */
export interface NodeRuntime {
  readonly sandbox: SandboxFinding
  /** Throws an Error for the model. */
  handle(
    call: JoinRequest,
    signal: AbortSignal,
    report: (message: CallReport) => void,
  ): Promise<Pick<Extract<NodeMessage, { type: 'result' }>, 'value' | 'blobs'>>
  /** Ends background commands of a chat, or of a sub-agent of it. */
  drop(sessionId: string, agentId?: string): Promise<void>
  close(): Promise<void>
}

export interface NodeRuntimeOptions {
  /** The Troupe home of this computer. */
  home: string
  /** For the state of chats: one folder per server. */
  stateFolder: string
  /** Real paths. Calls reach nothing else. */
  folders: readonly string[]
  env: NodeJS.ProcessEnv
  logger: Logger
  /** Default: detected. */
  sandbox?: SandboxFinding | undefined
}

/**
 * The server is not trusted with this computer: it only names a tool, its input and the rules. Paths, commands and the
 * sandbox are judged here, each time. Nothing outside of the folders can be approved, and programs only run confined.
 */
export async function openNodeRuntime(options: NodeRuntimeOptions): Promise<NodeRuntime> {
  const { home, env, folders, logger } = options
  const personHome = env['HOME'] || homedir()
  const config = openConfig({ path: home })
  const layers = openRuleLayers({
    home,
    personHome,
    config,
    projects: createProjectConfigs(),
    managedFile,
    allowBypass: false,
  })
  const sandbox = options.sandbox ?? (await findSandbox({ troupeHome: home, env }))
  const states = createAgentStates(options.stateFolder, { sandbox: sandbox.sandbox })
  const documents = openDocuments({ env })
  const lsp = openLsp({ env, logger, settings: () => config.get().languageServers ?? {}, sandbox: sandbox.sandbox })
  const tools = new Map(getBuiltinTools().flatMap((tool) => (remoteNames.has(tool.name) ? [[tool.name, tool]] : [])))

  return {
    sandbox,
    async handle(call, signal, report) {
      if (call.op === 'notes') return { value: notesIn(call.folder) }
      const tool = tools.get(call.tool)
      if (tool === undefined) throw new Error(`${call.tool} does not run on a joined computer.`)
      assertShared(call.folder)
      const checked = checkInput(tool, call.input)
      if ('complaint' in checked) throw new Error(checked.complaint)
      const blobs = collectBlobs()
      const ctx = contextOf(call, { signal, report, blobs: blobs.blobs })
      const value = await perform(call, tool, checked.input, ctx, report)
      return { value, ...(blobs.found.length > 0 && { blobs: blobs.found }) }
    },
    drop: (sessionId, agentId) =>
      agentId === undefined ? states.drop(sessionId) : states.dropAgent(sessionId, agentId),
    async close() {
      await states.close()
      documents.close()
      await lsp.close()
    },
  }

  function assertShared(folder: string): void {
    if (!folders.includes(folder)) throw new Error('This computer no longer shares the folder of this chat.')
  }

  /** Notes for agents, as a chat on this computer would get them. Nothing outside of the folder is read. */
  function notesIn(folder: string): AgentsNote[] {
    assertShared(folder)
    return isTrusted(home, folder) ? readAgentsNotes(folder, { roots: [folder], personHome, seen: new Set() }) : []
  }

  async function perform(
    call: JoinCall,
    tool: Tool,
    input: unknown,
    ctx: ToolContext,
    report: (message: CallReport) => void,
  ): Promise<unknown> {
    switch (call.op) {
      case 'decide': {
        const {
          forbidden: _forbidden,
          hides: _hides,
          grants: _grants,
          ...decision
        } = await judge(call, tool, input, ctx)
        return decision
      }
      case 'validate':
        return (await tool.validate?.(input, ctx)) ?? null
      case 'preview':
        await permit(call, tool, input, ctx)
        return (await tool.preview?.(input, ctx)) ?? null
      case 'reduce':
        await permit(call, tool, input, ctx)
        return tool.reduce?.(input, new Set(call.hunks), ctx)
      case 'execute': {
        await permit(call, tool, input, ctx)
        const { output, modelText } = unwrapResult(await runTool(tool, input, ctx, report))
        return { output, modelText }
      }
    }
  }

  /** Sets what the call may reach. Throws if it may not run at all. */
  async function permit(call: JoinCall, tool: Tool, input: unknown, ctx: ToolContext): Promise<void> {
    const decision = await judge(call, tool, input, ctx)
    if (decision.decision === 'deny') throw new Error(decision.reason)
    const { confinement = 'none', grants = [], forbidden, hides } = decision
    ctx.granted = { confinement, grants, forbidden, hides, ...(call.approved === true && { approved: true }) }
  }

  async function judge(call: JoinCall, tool: Tool, input: unknown, ctx: ToolContext): Promise<Decision> {
    const decision = await decideCall({ tool, input }, ctx, policyOf(call))
    if (decision.decision === 'deny') return decision
    const refusal = refusalOf(decision, { tool, input }, ctx)
    return refusal === undefined ? decision : { decision: 'deny', rule: null, reason: refusal }
  }

  /** No approval leads further than this, because it would come from the server. */
  function refusalOf(
    { grants = [], confinement = 'none' }: Decision,
    { tool, input }: { tool: Tool; input: unknown },
    { state }: ToolContext,
  ): string | undefined {
    const outside = grants.find((grant) => !state.roots.some((root) => isInside(grant.path, root)))
    if (outside !== undefined) return `"${outside.path}" is outside of the folder that this computer shares.`
    const accesses = tool.touches?.(input, { cwd: state.cwd }) ?? []
    // Input goes to a program that was started here, confined.
    const runs = accesses.some(({ kind, ...access }) => kind === 'code' || (kind === 'command' && !('typed' in access)))
    if (!runs || confinement !== 'none') return undefined
    return sandbox.sandbox === undefined
      ? `Commands do not run on this computer, because it has no sandbox. ${sandbox.fix ?? sandbox.text}`
      : 'On a joined computer, commands only run inside the sandbox.'
  }

  function policyOf({ policy, folder }: JoinCall): Policy {
    const place = { path: folder, trusted: isTrusted(home, folder) }
    const given = policy.rules.map(({ base, ...line }): RuleLine => ({
      ...line,
      base: base === 'folder' ? folder : personHome,
    }))
    // Approvals are given on the server. The rules of this computer can only restrict.
    const own = layers.rules(place).filter(({ effect }) => effect !== 'allow')
    return {
      mode: policy.mode,
      rules: compileRules([...given, ...own]),
      only: onlyOf(policy.only),
      sandbox: sandbox.sandbox !== undefined,
      home: personHome,
      troupeHome: home,
      unreadable: policy.unreadable ?? layers.unreadable(place),
      ...(policy.compared !== undefined && { compared: policy.compared }),
    }
  }

  function contextOf(
    call: JoinCall,
    { signal, report, blobs }: { signal: AbortSignal; report: (message: CallReport) => void; blobs: Blobs },
  ): ToolContext {
    const { sessionId, agentId, folder, runId, step, toolCallId, skillLimits } = call
    const trusted = isTrusted(home, folder)
    const workspace = { id: folder, path: folder, trusted, createdAt: 0 }
    const name = agentId ?? 'master'
    const agent = { kind: 'master' as const, name, depth: 0, path: [name], skillLimits, ...(agentId && { agentId }) }
    return {
      session: { id: sessionId },
      workspace,
      run: { id: runId, attempt: 1, step },
      state: states.of({ id: sessionId }, workspace, agentId),
      frames: [agent],
      agent,
      get chatModel(): never {
        throw new Error('There is no model on a joined computer.')
      },
      messageId: toolCallId,
      toolCallId,
      signal,
      emit: (event, data, given) => report({ type: 'emit', name: event, data, ...(given && { options: given }) }),
      ask: () => Promise.reject(new Error('Nobody can be asked on a joined computer.')),
      // Processes end with this one, and nothing recovers its calls.
      process: () => Promise.resolve(),
      lastOutput: () => undefined,
      settings: toolSettings(config),
      credentials: () => Promise.resolve(undefined),
      blobs,
      documents,
      code: lsp.of(workspace),
    }
  }
}

async function runTool(
  tool: Tool,
  input: unknown,
  ctx: ToolContext,
  report: (message: CallReport) => void,
): Promise<unknown> {
  const running: unknown = tool.execute(input, ctx)
  if (!isGenerator(running)) return running
  for (;;) {
    const step = await running.next()
    if (step.done === true) return step.value
    if (ctx.signal.aborted && tool.stopMs === undefined) {
      await running.return(undefined)
      throw ctx.signal.reason
    }
    report({ type: 'progress', delta: step.value })
  }
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, void> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value
}

/** Blobs go to the server with the result, which names them by their hash. */
function collectBlobs() {
  const found: { mediaType: string; base64: string }[] = []
  const blobs: Blobs = {
    async put(bytes, mediaType) {
      found.push({ mediaType, base64: Buffer.from(bytes).toString('base64') })
      return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.byteLength, mediaType }
    },
    get: () => Promise.resolve(undefined),
  }
  return { blobs, found }
}

function onlyOf(only: JoinPolicy['only']): Policy['only'] {
  if (only === undefined) return undefined
  const compile = (texts: readonly string[] | undefined) =>
    texts && compileRules(texts.map((text) => ({ text, effect: 'allow', layer: 'managed', base: path.sep })))
  return { tools: compile(only.tools), hosts: compile(only.hosts) }
}
