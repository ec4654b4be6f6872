import { statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {
  type AgentFrame,
  agentKey,
  type AgentsNote,
  planInstructions,
  readAgentsNotes,
  type SandboxFinding,
  type Session,
  type Store,
  type Workspace,
} from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { z } from 'zod'
import { type JoinedFolder, readJoinedPath } from '../util/joined-folder.ts'
import type { Logger } from '../util/logger.ts'

export interface PromptBlock {
  name: string
  text: string
}

/** An additional preface section: skills, servers. Empty texts are omitted. */
interface PrefaceLayer {
  name: string
  text(session: Session, workspace: Workspace): Promise<string> | string
}

/** The initial knowledge of a session's agents. Built once, stored, and rebuilt after a compaction. */
interface Preface {
  blocks: PromptBlock[]
  agents: { name: string; description: string; hidden?: true; pageIds?: readonly string[] }[]
  /** Number of compactions in the branch. */
  compactions: number
  /** Revision of the instructions that it was built from. Absent in older ones. */
  revision?: number
}

export interface PrefaceOptions {
  store: Pick<Store, 'settings' | 'transaction'>
  logger: Logger
  home: string
  /** The folder `~` refers to. */
  personHome: string
  layers: readonly PrefaceLayer[]
  /** Includes agents offered on any page. */
  agents(workspace: Workspace): Promise<Preface['agents']>
  /** The operating system of a member's computer, if it is connected. */
  systemOf?: ((at: JoinedFolder) => string | undefined) | undefined
  /** The notes for agents in a folder of a member's computer. Undefined if it does not answer. */
  notesOf?: ((at: JoinedFolder) => Promise<AgentsNote[] | undefined>) | undefined
}

interface Prefaces {
  /**
   * Returns the stored preface, or a new one if there is none, or if the chat was compacted or its instructions were
   * edited since. Without a history, stores nothing: this is a preview, and servers may still be connecting.
   */
  of(session: Session, workspace: Workspace, history?: readonly StoredMessage[]): Promise<Preface>
  /** Instructions of a workspace changed, or without one those for all. Chats that have begun also get them. */
  outdate(workspaceId?: string): Promise<void>
  forget(sessionId: string): Promise<void>
}

const revisionsKey = 'instruction-revisions'
/** The revisions of all workspaces, besides those by workspace id. */
const everywhere = 'person'

/** Maximum prefaces in memory. Others are read from the store. */
const maxHeld = 200

export function createPrefaces(options: PrefaceOptions): Prefaces {
  const { store, logger } = options
  const held = new Map<string, Preface>()
  let revisions: Record<string, number> | undefined
  return {
    async of(session, workspace, history) {
      const key = prefaceKey(session.id)
      const known = held.get(session.id) ?? ((await store.settings.get(key)) as Preface | undefined)
      const compactions = countCompactions(history ?? [])
      revisions ??= await loadRevisions()
      const revision = (revisions[everywhere] ?? 0) + (revisions[session.workspaceId] ?? 0)
      if (known !== undefined && known.compactions >= compactions && (known.revision ?? 0) >= revision) {
        hold(session.id, known)
        return known
      }
      const { isComplete, ...built } = await build(session, workspace)
      const made = { ...built, compactions, revision }
      if (history === undefined || !isComplete) return made
      hold(session.id, made)
      store
        .transaction((inside) => inside.settings.set(key, made), { canWait: true })
        .catch((error: unknown) => logger({ level: 'warn', message: 'a preface was not stored', error: String(error) }))
      return made
    },
    async outdate(workspaceId = everywhere) {
      await store.settings.update(revisionsKey, (stored) => {
        const current = revisionsSchema.parse(stored)
        return (revisions = { ...current, [workspaceId]: (current[workspaceId] ?? 0) + 1 })
      })
    },
    forget(sessionId) {
      held.delete(sessionId)
      return store.settings.set(prefaceKey(sessionId), undefined)
    },
  }

  async function loadRevisions(): Promise<Record<string, number>> {
    return revisionsSchema.parse(await store.settings.get(revisionsKey))
  }

  function hold(sessionId: string, preface: Preface): void {
    if (held.get(sessionId) === preface) return
    if (held.size >= maxHeld && !held.has(sessionId)) held.delete(held.keys().next().value as string)
    held.set(sessionId, { ...preface, blocks: shared(preface.blocks), agents: shared(preface.agents) })
  }

  /** `isComplete` is false if something could not be read at the moment. */
  async function build(
    session: Session,
    workspace: Workspace,
  ): Promise<Omit<Preface, 'compactions' | 'revision'> & { isComplete: boolean }> {
    const { home, personHome } = options
    const blocks: PromptBlock[] = [{ name: 'environment', text: environmentText(session, workspace, options.systemOf) }]
    const { path: folder, trusted, projects } = workspace
    const notes = agentsNotes({ home, personHome, workspace: folder, trusted, projects })
    const joined = readJoinedPath(folder)
    const there = joined === undefined ? [] : await options.notesOf?.(joined)
    notes.push(...(there ?? []))
    for (const note of notes)
      blocks.push({ name: `notes ${note.path}`, text: `Notes for agents from ${note.path}:\n${note.text}` })
    for (const layer of options.layers) {
      const text = await layer.text(session, workspace)
      if (text !== '') blocks.push({ name: layer.name, text })
    }
    const agents = (await options.agents(workspace)).map(({ name, description, hidden, pageIds }) => ({
      name,
      description,
      hidden,
      pageIds,
    }))
    return { blocks, agents, isComplete: there !== undefined }
  }
}

const revisionsSchema = z.record(z.string(), z.number()).catch({})

const sharedLists = new Map<string, readonly object[]>()

/** Returns the same list for the same content, since most chats of a workspace have the same agents and notes. */
function shared<List extends readonly object[]>(list: List): List {
  const key = JSON.stringify(list)
  const known = sharedLists.get(key)
  if (known !== undefined) return known as List
  if (sharedLists.size >= maxHeld) sharedLists.clear()
  sharedLists.set(key, list)
  return list
}

function agentsBlock({ agents }: Preface, frame: AgentFrame, page: string | undefined): PromptBlock | undefined {
  const allowed = agents.filter(({ name, hidden, pageIds }) => {
    // Only a sub-agent can have a name that a model spelled differently.
    const isItself = name === frame.name || (frame.kind === 'sub' && agentKey(name) === agentKey(frame.name))
    if (isItself || !isOnPage({ pageIds }, page)) return false
    return frame.allowedSubAgents?.some((other) => agentKey(other) === agentKey(name)) ?? hidden !== true
  })
  if (allowed.length === 0) return undefined
  const lines = allowed.map(({ name, description }) => `- ${name}: ${description}`)
  return { name: 'agents', text: `Agents for Task:\n${lines.join('\n')}` }
}

function countCompactions(history: readonly StoredMessage[]): number {
  return history.flatMap(({ parts }) => parts).filter(({ type }) => type === 'data-compaction').length
}

function environmentText(session: Session, workspace: Workspace, systemOf: PrefaceOptions['systemOf']): string {
  return [
    ...workspaceLines(workspace, systemOf),
    ...(workspace.projects ?? []).slice(-1).map(({ name, path: at }) => `Project: ${name}, in ${at}`),
    `The chat started on ${new Date(session.createdAt).toISOString().slice(0, 10)}.`,
  ].join('\n')
}

function workspaceLines({ path: folder }: Workspace, systemOf: PrefaceOptions['systemOf']): string[] {
  const at = readJoinedPath(folder)
  if (at === undefined) return [`Workspace: ${folder}`, `Operating system: ${os.type()} ${os.arch()}`]
  const system = systemOf?.(at)
  return [
    `Workspace: ${at.folder}`,
    `It is on the user's own computer "${at.node}". Files and commands are there, and may be out of reach for a while.`,
    ...(system === undefined ? [] : [`Operating system: ${system}`]),
  ]
}

function prefaceKey(sessionId: string): string {
  return `preface:${sessionId}`
}

export function isOnPage({ pageIds }: { pageIds?: readonly string[] }, page: string | undefined): boolean {
  return pageIds === undefined || pageIds.length === 0 || (page !== undefined && pageIds.includes(page))
}

/** Names of preface layers that only some agents can use. */
export const skillsLayer = 'skills'
export const serversLayer = 'MCP servers'

interface InstructionFacts {
  prompt: string
  frame: AgentFrame
  preface: Preface
  sandbox: SandboxFinding
  page?: string
  /** Set in plan mode. */
  planFile?: string
}

/** Returns the system prompt in blocks. The most stable come first, so that caches hit. */
export function instructionBlocks(facts: InstructionFacts): PromptBlock[] {
  const { prompt, frame, preface, sandbox, page, planFile } = facts
  const agents = agentsBlock(preface, frame, page)
  return [
    { name: `prompt of ${frame.name}`, text: prompt },
    ...(agents === undefined ? [] : [agents]),
    ...preface.blocks,
    ...(sandbox.sandbox === undefined ? [{ name: 'sandbox', text: sandbox.text }] : []),
    ...(planFile === undefined ? [] : [{ name: 'plan mode', text: planInstructions(planFile) }]),
  ]
}

/** Omits the skills if the agent cannot load any, and the servers if it has none of their tools. */
export function blocksFor(
  blocks: readonly PromptBlock[],
  tools: readonly { name: string; group: string }[],
): PromptBlock[] {
  return blocks.filter(({ name }) => {
    if (name === skillsLayer) return tools.some((tool) => tool.name === 'Skill')
    return name !== serversLayer || tools.some(({ group }) => group.startsWith('mcp:'))
  })
}

const joinedTexts = new Map<string, string>()

/** Joins the blocks. Interns the result, since hundreds of runs may hold the same text. */
export function joinBlocks(blocks: readonly PromptBlock[]): string {
  const instructions = blocks.map(({ text }) => text).join('\n\n')
  const known = joinedTexts.get(instructions)
  if (known !== undefined) return known
  if (joinedTexts.size > 100) joinedTexts.clear()
  joinedTexts.set(instructions, instructions)
  return instructions
}

/**
 * Returns the notes for agents: the user's own, then those of the folders from the repository to the workspace, nearest
 * last, each file once. Ignores untrusted folders.
 */
export function agentsNotes(options: {
  home: string
  personHome: string
  workspace: string
  trusted: boolean
  /** Outermost first. */
  projects?: readonly { path: string }[] | undefined
}): AgentsNote[] {
  const { home, personHome, workspace, trusted, projects = [] } = options
  const seen = new Set<string>()
  const own = readAgentsNotes(home, { roots: [home], personHome, seen })
  if (!trusted) return own
  const folders = foldersDownTo(workspace)
  const roots = [folders[0] as string]
  folders.push(...projects.map((project) => project.path))
  return [...own, ...folders.flatMap((folder) => readAgentsNotes(folder, { roots, personHome, seen }))]
}

/** Returns the folders from the one with `.git` to this one, or only this one if there is none. */
function foldersDownTo(folder: string): string[] {
  const folders: string[] = []
  for (let each = folder; ; each = path.dirname(each)) {
    folders.unshift(each)
    if (statSync(path.join(each, '.git'), { throwIfNoEntry: false }) !== undefined) return folders
    if (path.dirname(each) === each) return [folder]
  }
}

/** Detects the prompt language of a text by its script. */
function detectLanguage(text: string): string | undefined {
  if (!/[^\0-\x7f]/.test(text)) return undefined
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
  return han > 0 && !kana && han * 3 >= letters ? 'zh' : undefined
}

/** The session's language, detected from the title. The title follows the first message until the user renames it. */
export function sessionLanguage({ title }: Pick<Session, 'title'>): { language?: string } {
  const language = detectLanguage(title)
  return language === undefined ? {} : { language }
}
