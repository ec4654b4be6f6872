import os from 'node:os'
import { agentKey, type AgentFrame, type Session, type Store, type StoredMessage, type Workspace } from '@troupe/core'
import { agentsNotes } from './agents-notes.ts'

/** A named piece of what every model call starts with. */
export interface PromptBlock {
  name: string
  text: string
}

/** Something that a preface tells besides: skills, servers. Empty texts are left out. */
export interface PrefaceLayer {
  name: string
  text(session: Session, workspace: Workspace): Promise<string> | string
}

/** What a session's agents know from the start. Built once, stored, and built again where the conversation was compacted. */
export interface Preface {
  blocks: PromptBlock[]
  agents: { name: string; description: string; hidden?: true; pageIds?: readonly string[] }[]
  /** How many compactions the branch had. */
  compactions: number
}

export interface PrefaceOptions {
  store: Pick<Store, 'settings'>
  home: string
  /** What `~` is. */
  personHome: string
  layers: readonly PrefaceLayer[]
  /** On whatever page they are offered. */
  agents(session: Session): Promise<Preface['agents']>
}

export interface Prefaces {
  /**
   * The stored preface, or a new one where there is none or the conversation has been compacted since. Without a history
   * somebody only looks: then nothing is stored, since servers may still be connecting.
   */
  of(session: Session, workspace: Workspace, history?: readonly StoredMessage[]): Promise<Preface>
  forget(sessionId: string): Promise<void>
}

export function createPrefaces(options: PrefaceOptions): Prefaces {
  const { store } = options
  return {
    async of(session, workspace, history) {
      const key = prefaceKey(session.id)
      const known = (await store.settings.get(key)) as Preface | undefined
      const compactions = countCompactions(history ?? [])
      if (known !== undefined && known.compactions >= compactions) return known
      const made = { ...(await build(session, workspace)), compactions }
      if (history !== undefined) await store.settings.set(key, made)
      return made
    },
    forget: (sessionId) => store.settings.set(prefaceKey(sessionId), undefined),
  }

  async function build(session: Session, workspace: Workspace): Promise<Omit<Preface, 'compactions'>> {
    const { home, personHome } = options
    const blocks: PromptBlock[] = [{ name: 'environment', text: environmentText(session, workspace) }]
    for (const note of agentsNotes({ home, personHome, workspace: workspace.path, trusted: workspace.trusted }))
      blocks.push({ name: `notes ${note.path}`, text: `Notes for agents from ${note.path}:\n${note.text}` })
    for (const layer of options.layers) {
      const text = await layer.text(session, workspace)
      if (text !== '') blocks.push({ name: layer.name, text })
    }
    const agents = (await options.agents(session)).map(({ name, description, hidden, pageIds }) => ({
      name,
      description,
      ...(hidden && { hidden }),
      ...(pageIds !== undefined && { pageIds }),
    }))
    return { blocks, agents }
  }
}

/** Whom this agent may delegate to, of those that the preface knows, with this page open. */
export function agentsBlock({ agents }: Preface, frame: AgentFrame, page: string | undefined): PromptBlock | undefined {
  const allowed = agents.filter(({ name, hidden, pageIds }) => {
    if (agentKey(name) === agentKey(frame.name) || !isOnPage({ ...(pageIds && { pageIds }) }, page)) return false
    return frame.allowedSubAgents?.some((other) => agentKey(other) === agentKey(name)) ?? hidden !== true
  })
  if (allowed.length === 0) return undefined
  const lines = allowed.map(({ name, description }) => `- ${name}: ${description}`)
  return { name: 'agents', text: `Agents for Task:\n${lines.join('\n')}` }
}

function countCompactions(history: readonly StoredMessage[]): number {
  return history.flatMap(({ parts }) => parts).filter(({ type }) => type === 'data-compaction').length
}

function environmentText(session: Session, workspace: Workspace): string {
  return [
    `Workspace: ${workspace.path}`,
    `Operating system: ${os.type()} ${os.arch()}`,
    `The conversation began on ${new Date(session.createdAt).toISOString().slice(0, 10)}.`,
  ].join('\n')
}

function prefaceKey(sessionId: string): string {
  return `preface:${sessionId}`
}

/** Whether an agent is offered with this page open. */
export function isOnPage({ pageIds }: { pageIds?: readonly string[] }, page: string | undefined): boolean {
  return pageIds === undefined || pageIds.length === 0 || (page !== undefined && pageIds.includes(page))
}
