import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { getBuiltinAgents, type Store, type Workspace } from '@troupe/core'
import {
  estimateTokens,
  instructionEndpoints,
  type InstructionFile,
  type InstructionsInfo,
  type MasterPrompt,
  NamedError,
} from '@troupe/protocol'
import { z } from 'zod'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import { readTextFile, type TextFile, writeTextFile } from '../config/text-file.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import { agentsNotes } from '../runs/system-prompt.ts'
import type { Context } from '../sessions/context.ts'

/** Instructions of the user for all chats, those of a folder, and the user's own prompt of the master agent. */
export interface Instructions {
  show(workspace: Workspace): InstructionsInfo
  /** Throws `FileChanged`, `FileNotEditable` (409) and `BadText` (422). */
  change(workspace: Workspace, change: InstructionsChange): Promise<void>
}

interface InstructionsChange {
  scope: 'person' | 'folder' | 'master'
  text: string | null
  version: string
  language?: string
}

const masterSchema = z.object({ text: z.string(), language: z.string(), base: z.string() })
type StoredMaster = z.infer<typeof masterSchema>

const masterKey = 'master-prompt'

export async function openInstructions(options: {
  store: Pick<Store, 'settings'>
  home: string
  personHome: string
  agents: Pick<AgentRegistry, 'setMasterPrompt'>
  context: Pick<Context, 'outdate'>
}): Promise<Instructions> {
  const { store, home, personHome, agents, context } = options
  let master = masterSchema
    .optional()
    .catch(undefined)
    .parse(await store.settings.get(masterKey))
  agents.setMasterPrompt(master?.text)

  return {
    show: (workspace) => ({
      person: show(home, home, { workspace, isOwn: true }),
      folder: show(workspace.path, workspace.path, { workspace, isOwn: false }),
      master: showMaster(),
    }),
    async change(workspace, { scope, text, version, language }) {
      if (scope === 'master') return changeMaster(text, version, language)
      if (text?.includes('\0') === true) throw badText('The text contains a NUL character.')
      const root = scope === 'person' ? home : workspace.path
      const file = noteFile(root)
      const before = readTextFile(file, root)
      if (!before.exists && (text ?? '') === '' && version === before.version) return
      writeTextFile(file, text ?? '', { root, version })
      await context.outdate(scope === 'person' ? undefined : workspace.id)
    },
  }

  function show(folder: string, root: string, at: { workspace: Workspace; isOwn: boolean }): InstructionFile {
    const file = noteFile(folder)
    const { workspace, isOwn } = at
    const active = isOwn || workspace.trusted
    const others = agentsNotes({ home, personHome, workspace: workspace.path, trusted: true })
      .map((note) => note.path)
      .filter((other) => other !== file && other.startsWith(home + path.sep) === isOwn)
    try {
      return { ...shown(readTextFile(file, root)), active, others }
    } catch (error) {
      if (!(error instanceof NamedError)) throw error
      return { path: file, text: '', version: '', tokens: 0, active, others, problem: error.message }
    }
  }

  function showMaster(): MasterPrompt {
    const defaults = masterDefaults()
    const base = master && defaultIn(defaults, master.language)
    return {
      text: master?.text ?? null,
      defaults,
      earlierDefault: master !== undefined && base !== master.base ? master.base : null,
      version: masterVersion(master),
      tokens: estimateTokens(master?.text ?? Object.values(defaults)[0] ?? ''),
    }
  }

  async function changeMaster(text: string | null, version: string, language = 'en'): Promise<void> {
    if (version !== masterVersion(master))
      throw new NamedError('FileChanged', 'The prompt was changed by someone else since you opened it.', {
        status: 409,
        data: { text: master?.text ?? '', version: masterVersion(master) },
      })
    if (text !== null && text.trim() === '')
      throw badText('The prompt of the master agent cannot be empty. Restore the default instead.')
    const next =
      text === null ? undefined : { text: text.trim(), language, base: defaultIn(masterDefaults(), language) }
    await store.settings.set(masterKey, next)
    master = next
    agents.setMasterPrompt(next?.text)
  }
}

export function instructionRoutes(options: { store: Store; instructions: Instructions }): Route[] {
  const { store, instructions } = options
  return implement(instructionEndpoints, {
    'GET /ai/instructions': async ({ workspaceId }) => instructions.show(await findWorkspace(store, workspaceId)),
    'PATCH /ai/instructions': async ({ body, workspaceId }) => {
      const workspace = await findWorkspace(store, workspaceId)
      await instructions.change(workspace, body)
      return instructions.show(workspace)
    },
  })
}

/** Agents read both files. The page edits the one that is there, or else a new `AGENTS.md`. */
function noteFile(folder: string): string {
  const [first, second] = ['AGENTS.md', 'CLAUDE.md'].map((name) => path.join(folder, name)) as [string, string]
  return !existsSync(first) && existsSync(second) ? second : first
}

function shown({ path: file, text, version }: TextFile): Omit<InstructionFile, 'active' | 'others'> {
  return { path: file, text, version, tokens: estimateTokens(text) }
}

function masterDefaults(): Record<string, string> {
  const entry = getBuiltinAgents().find(({ name }) => name === 'master')
  return { en: entry?.prompt ?? '', ...entry?.prompts }
}

function defaultIn(defaults: Record<string, string>, language: string): string {
  return defaults[language] ?? defaults['en'] ?? ''
}

function masterVersion(master: StoredMaster | undefined): string {
  return master === undefined
    ? 'default'
    : createHash('sha256').update(JSON.stringify(master)).digest('hex').slice(0, 32)
}

function badText(message: string): NamedError {
  return new NamedError('BadText', message, { status: 422 })
}
