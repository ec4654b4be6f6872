import {
  activeSkillLimits,
  type AgentsNote,
  type Decision,
  getBuiltinTools,
  ownTool,
  type Policy,
  type Tool,
  type ToolContext,
  withModelText,
} from '@troupe/core'
import {
  type JoinCall,
  joinDecisionSchema,
  joinedNotesSchema,
  joinOutputSchema,
  type JoinPolicy,
  joinReductionSchema,
  NamedError,
} from '@troupe/protocol'
import { type JoinedFolder, readJoinedPath } from '../util/joined-folder.ts'
import type { JoinedNodes } from './joined-nodes.ts'
import { type CallEvents, type CallResult, notConnected } from './node-connection.ts'
import { remoteNames } from './remote-names.ts'

/** Tools that need no folder. All others are not offered, since they would look for files on the server. */
const serverNames = new Set([
  'AbortAgent',
  'AskUserQuestion',
  'BrowserAct',
  'BrowserExtract',
  'BrowserObserve',
  'BrowserSnapshot',
  'BrowserWait',
  'ChartRender',
  'JsonRender',
  'Notify',
  'OpenUrl',
  'ReadClipboard',
  'SendInput',
  'ShowPanel',
  'Skill',
  'Task',
  'TimeNow',
  'TodoWrite',
  'WaitAgent',
  'WebFetch',
  'WebSearch',
])

const notesMs = 10_000

/** The tools of folders on members' computers. */
export interface JoinedTools {
  /** The tools that such a folder has, of those that a folder of the server would have. */
  of(tools: readonly Tool[]): readonly Tool[]
  isRemote(tool: Tool): boolean
  /** Lets the computer decide about a call of a remote tool, by these rules and its own. */
  decide(call: { tool: Tool; input: unknown }, ctx: ToolContext, policy: Policy): Promise<Decision>
  /** The notes for agents in a folder. Undefined if its computer does not answer. */
  notes(at: JoinedFolder): Promise<AgentsNote[] | undefined>
}

export function createJoinedTools(nodes: Pick<JoinedNodes, 'find'>): JoinedTools {
  const builtin = new Set(getBuiltinTools())
  const made = new Map<Tool, Tool>()
  const remote = new Set<Tool>()
  const lists = new WeakMap<readonly Tool[], readonly Tool[]>()
  /** The rules that a call was decided with. It is executed with the same. */
  const policies = new WeakMap<ToolContext, JoinPolicy>()

  return {
    of(tools) {
      const known = lists.get(tools)
      if (known !== undefined) return known
      const list = tools.flatMap((tool) => {
        // A tool with the same name that someone added runs on the server.
        if (builtin.has(tool) && remoteNames.has(tool.name)) return remoteTool(tool)
        return (builtin.has(tool) && serverNames.has(tool.name)) || tool.group.startsWith('mcp:') ? tool : []
      })
      lists.set(tools, list)
      return list
    },
    isRemote: (tool) => remote.has(ownTool(tool)),
    async decide({ tool, input }, ctx, policy) {
      policies.set(ctx, toJoinPolicy(policy, ctx.workspace.path))
      try {
        const { value } = await send('decide', ownTool(tool), input, ctx)
        return joinDecisionSchema.parse(value)
      } catch (error) {
        if (ctx.signal.aborted) throw error
        return { decision: 'deny', rule: null, reason: reasonOf(error) }
      }
    },
    notes,
  }

  async function notes(at: JoinedFolder): Promise<AgentsNote[] | undefined> {
    try {
      const connection = await nodes.find(at)
      const answer = await connection?.call({ op: 'notes', folder: at.folder }, AbortSignal.timeout(notesMs))
      return answer && joinedNotesSchema.parse(answer.value)
    } catch {
      // The first tool call says why.
      return undefined
    }
  }

  function remoteTool(tool: Tool): Tool {
    const known = made.get(tool)
    if (known !== undefined) return known
    const { validate, preview, reduce } = tool
    const wrapped: Tool = {
      ...tool,
      // The computer decides.
      needsApproval: undefined,
      async execute(input, ctx) {
        const events: CallEvents = {
          onProgress: (delta) => ctx.emit('tool-progress', { toolCallId: ctx.toolCallId, delta }, { transient: true }),
          onEmit: ({ name, data, options }) => ctx.emit(name, data, options),
        }
        const result = await send('execute', tool, input, ctx, { approved: ctx.granted?.approved === true }, events)
        for (const { base64, mediaType } of result.blobs ?? [])
          await ctx.blobs?.put(Buffer.from(base64, 'base64'), mediaType)
        const { output, modelText } = joinOutputSchema.parse(result.value)
        return modelText === undefined ? output : withModelText(output, modelText)
      },
      ...(validate !== undefined && {
        async validate(input: unknown, ctx: ToolContext) {
          const { value } = await send('validate', tool, input, ctx)
          return typeof value === 'string' ? value : undefined
        },
      }),
      ...(preview !== undefined && {
        preview: async (input: unknown, ctx: ToolContext) => (await send('preview', tool, input, ctx)).value,
      }),
      ...(reduce !== undefined && {
        async reduce(input: unknown, accepted: ReadonlySet<string>, ctx: ToolContext) {
          const { value } = await send('reduce', tool, input, ctx, { hunks: [...accepted] })
          return joinReductionSchema.parse(value)
        },
      }),
    }
    made.set(tool, wrapped)
    remote.add(wrapped)
    return wrapped
  }

  async function send(
    op: JoinCall['op'],
    { name }: Tool,
    input: unknown,
    ctx: ToolContext,
    more: Pick<JoinCall, 'hunks' | 'approved'> = {},
    events?: CallEvents,
  ): Promise<CallResult> {
    const at = readJoinedPath(ctx.workspace.path)
    if (at === undefined) throw new Error('This folder is on the server.')
    const policy = policies.get(ctx)
    if (policy === undefined && op === 'execute') throw new Error('Nothing has decided about this call.')
    const connection = await nodes.find(at)
    if (connection === undefined) throw notConnected(at.node)
    const { agentId } = ctx.agent
    const call: JoinCall = {
      op,
      folder: at.folder,
      tool: name,
      input,
      sessionId: ctx.session.id,
      ...(agentId !== undefined && { agentId }),
      runId: ctx.run.id,
      step: ctx.run.step,
      toolCallId: ctx.toolCallId,
      policy: policy ?? { mode: 'default', rules: [] },
      skillLimits: activeSkillLimits(ctx).map((limit) => [...limit]),
      ...more,
    }
    return connection.call(call, ctx.signal, events)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof NamedError)) return error instanceof Error ? error.message : String(error)
  // Deciding has no effect, so nothing is unknown.
  return error.name === 'NodeGone'
    ? 'The connection to the computer with this folder was lost. Try again.'
    : error.message
}

/** Bases of rules are paths here. On the computer they are others. */
function toJoinPolicy(policy: Policy, folder: string): JoinPolicy {
  const { mode, rules, only, compared, unreadable } = policy
  const texts = (set: Policy['rules'] | undefined): string[] | undefined => set?.lines.map(({ text }) => text)
  return {
    mode,
    rules: rules.lines.map(({ text, effect, layer, base }) => ({
      text,
      effect,
      layer,
      base: base === folder ? 'folder' : 'home',
    })),
    ...(only !== undefined && { only: { tools: texts(only.tools), hosts: texts(only.hosts) } }),
    ...(compared !== undefined && { compared }),
    ...(unreadable !== undefined && { unreadable }),
  }
}
