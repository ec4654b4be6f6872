import path from 'node:path'
import { parseAgentFile, parseClaudeAgent, type Workspace } from '@troupe/core'
import { type AgentFileText, NamedError } from '@troupe/protocol'
import { readTextFile, writeTextFile } from '../config/text-file.ts'
import type { AgentRegistry } from './agent-registry.ts'

/** The Markdown files that define agents of the home and of a folder that the user trusts. */
export interface AgentFiles {
  /** Throws `AgentNotFound` (404) for a file that is not listed, and `FileNotEditable` (409). */
  read(workspace: Workspace, file: string): Promise<AgentFileText>
  /** Also throws `InvalidAgent` (422) and `FileChanged` (409), and then writes nothing. */
  write(workspace: Workspace, change: AgentFileText): Promise<AgentFileText>
}

export function createAgentFiles(agents: Pick<AgentRegistry, 'list' | 'problems'>): AgentFiles {
  return {
    async read(workspace, file) {
      return shown(file, await rootOf(workspace, file))
    },
    async write(workspace, { path: file, text, version }) {
      const root = await rootOf(workspace, file)
      check(text, file)
      writeTextFile(file, text, { root, version })
      return shown(file, root)
    },
  }

  /** The folder that the file must be in. Only files that are listed, also those that are not valid, can be changed. */
  async function rootOf(workspace: Workspace, file: string): Promise<string> {
    const entries = (await agents.list(workspace)).filter(({ source }) => source === 'home' || source === 'project')
    const files = [...entries, ...agents.problems(workspace)].map((one) => one.path)
    if (!files.includes(file) || !file.endsWith('.md'))
      throw new NamedError('AgentNotFound', 'There is no such file of an agent here.', { status: 404 })
    return file.startsWith(workspace.path + path.sep) ? workspace.path : path.dirname(file)
  }
}

function shown(file: string, root: string): AgentFileText {
  const { text, version } = readTextFile(file, root)
  return { path: file, text, version }
}

function check(text: string, file: string): void {
  const name = path.basename(file, '.md')
  try {
    if (path.basename(path.dirname(path.dirname(file))) === '.claude') parseClaudeAgent(text, name)
    // The file of a language holds nothing but a prompt.
    else if (!name.includes('.')) parseAgentFile(text, name)
  } catch (error) {
    throw new NamedError('InvalidAgent', `The agent is invalid: ${(error as Error).message}`, { status: 422 })
  }
}
