import { homedir } from 'node:os'
import { commandWrites } from '@troupe/command-policy'
import {
  type AgentRecord,
  type AgentState,
  derivedId,
  findTool,
  inDialect,
  type Session,
  shownPath,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import {
  type BranchChanges,
  type CallNotes,
  changeEndpoints,
  NamedError,
  type Part,
  type StoredMessage,
} from '@troupe/protocol'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'

interface BranchToRead {
  store: Store
  sessionId: string
  state: Pick<AgentState, 'roots' | 'undo'>
  tools: readonly Tool[]
  /** From root to leaf. */
  chain: readonly StoredMessage[]
  /** Number of leading messages to ignore. */
  skip: number
}

interface BranchPiece {
  messages: readonly StoredMessage[]
  skip: number
}

type Call = Extract<Part, { toolCallId: string }>

/** Collects file changes of a branch: its own calls, those of sub-agents at any depth, and undos. */
export async function branchChanges({ chain, skip, ...given }: BranchToRead): Promise<BranchChanges> {
  const { store, sessionId, state, tools } = given
  const root = state.roots[0] ?? '/'
  const pieces: BranchPiece[] = [{ messages: chain, skip }]
  const agents = await store.agents.list(sessionId)
  const read = new Set<string>()
  // Grows during iteration, since agents have sub-agents.
  if (agents.length > 0) for (const piece of pieces) pieces.push(...(await below(piece)))
  const files = new Set<string>()
  let commands = 0
  for (const piece of pieces) look(piece)
  const ids = new Set(pieces.flatMap((piece) => piece.messages.slice(piece.skip).map(({ id }) => id)))
  for (const { mark, path } of (await state.undo.list({ sessionId })).toReversed())
    if (ids.has(mark.messageId)) files.add(shownPath(path, root))
  return { files: [...files], commands }

  async function below({ messages, skip: from }: BranchPiece): Promise<BranchPiece[]> {
    const found: BranchPiece[] = []
    for (const { id, parts } of messages.slice(from)) {
      const calls = parts.filter(isCall)
      if (calls.length === 0) continue
      const [run] = await store.runs.ofMessage(sessionId, id)
      for (const { toolCallId } of calls) {
        const started = agents.find(({ details }) => details?.toolCallId === toolCallId)
        if (started !== undefined) found.push(await conversation(started))
        else if (run !== undefined) found.push(await told(derivedId('run_', run.id, toolCallId)))
      }
    }
    return found.filter(({ messages: said }) => said.length > 0)
  }

  async function conversation({ agentId }: AgentRecord): Promise<BranchPiece> {
    const at = { sessionId, agentId }
    const leaf = await store.messages.latestLeaf(at)
    return once(leaf === undefined ? [] : await store.messages.chain(at, leaf))
  }

  /** Returns the answer of an existing agent that a call sent more input. */
  async function told(runId: string): Promise<BranchPiece> {
    const run = await store.runs.get(runId)
    if (run?.agentId == null) return once([])
    const answer = await store.messages.get({ sessionId, agentId: run.agentId }, run.messageId)
    return once(answer === undefined ? [] : [answer])
  }

  function once(messages: readonly StoredMessage[]): BranchPiece {
    const fresh = messages.filter(({ id }) => !read.has(id))
    for (const { id } of fresh) read.add(id)
    return { messages: fresh, skip: 0 }
  }

  function look({ messages, skip: from }: BranchPiece): void {
    let cwd = root
    messages.forEach(({ parts, metadata }, index) => {
      for (const call of parts.filter(isCall)) {
        if (call.state !== 'output-available') continue
        const ran = shellCommands(call, inDialect(tools, metadata?.model ?? ''), cwd)
        if (index >= from) {
          for (const file of shownFiles(call)) files.add(file)
          for (const command of ran) {
            const { paths, mayBeMore } = commandWrites(command.text, { cwd: command.cwd, home: homedir() })
            for (const path of paths) files.add(shownPath(path, root))
            if (mayBeMore) commands++
          }
        }
        const { cwd: next } = (call.output ?? {}) as { cwd?: unknown }
        if (ran.length > 0 && typeof next === 'string') cwd = next
      }
    })
  }
}

function isCall(part: Part): part is Call {
  return 'toolCallId' in part
}

function changeNotes(call: Call): CallNotes {
  return (call.toolMetadata as { troupe?: CallNotes } | undefined)?.troupe ?? {}
}

/** Returns the files a result reports as changed: a diff, a patch, or the files of an undo. */
function shownFiles(call: Call): string[] {
  const content = (changeNotes(call).display?.content ?? {}) as { kind?: unknown; files?: unknown }
  const diffs = content.kind === 'diff' ? [content] : content.kind === 'patch' ? content.files : []
  const { restored, removed } = (call.output ?? {}) as { restored?: unknown; removed?: unknown }
  // Imported data may have any shape.
  const named = (Array.isArray(diffs) ? diffs : []).flatMap((one: { path?: unknown; from?: unknown } | null) => [
    one?.from,
    one?.path,
  ])
  const undone = call.type === 'tool-Undo' ? [restored, removed].flat() : []
  return [...named, ...undone].filter((path) => typeof path === 'string')
}

function shellCommands(call: Call, tools: readonly Tool[], cwd: string): { text: string; cwd: string }[] {
  const name = call.type === 'dynamic-tool' ? call.toolName : call.type.slice('tool-'.length)
  const tool = findTool(name, tools)
  const input: unknown = tool?.input.safeParse(changeNotes(call).executedInput ?? call.input).data
  if (tool?.touches === undefined || input === undefined) return []
  return tool
    .touches(input, { cwd })
    .flatMap((access) =>
      access.kind === 'command' && access.typed !== true ? [{ text: access.command, cwd: access.cwd ?? cwd }] : [],
    )
}

export function changeRoutes(options: {
  store: Store
  tools: { list(workspaceId: string): readonly Tool[] }
  states: { of(session: Session, workspace: Workspace): Pick<AgentState, 'roots' | 'undo'> }
  workspaces: { of(session: Session): Promise<Workspace> }
}): Route[] {
  const { store, tools, states, workspaces } = options
  const { 'GET /ai/sessions/:id/changes': endpoint } = changeEndpoints
  return implement(
    { 'GET /ai/sessions/:id/changes': endpoint },
    {
      'GET /ai/sessions/:id/changes': async ({ params, query, workspaceId }) => {
        const session = await findSession(store, params.id, workspaceId)
        const at = { sessionId: session.id }
        const leaf = query.leaf ?? (await store.messages.latestLeaf(at))
        const chain = leaf === undefined ? [] : await store.messages.chain(at, leaf)
        const skip = query.after === undefined ? 0 : chain.findIndex((message) => message.id === query.after) + 1
        if ((query.leaf !== undefined && chain.length === 0) || (query.after !== undefined && skip === 0))
          throw new NamedError('MessageNotFound', 'This message is not on this branch.', { status: 404 })
        const state = states.of(session, await workspaces.of(session))
        return branchChanges({ store, ...at, state, tools: tools.list(session.workspaceId), chain, skip })
      },
    },
  )
}
