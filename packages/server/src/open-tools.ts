import path from 'node:path'
import { getBuiltinTools, loadTools, type Tool, type Workspace } from '@troupe/core'
import type { Logger } from './logger.ts'

export interface LoadProblem {
  path: string
  message: string
}

export interface WorkspaceTools {
  /** The tools of a workspace; of one that was never loaded only those that every workspace has. */
  list: (workspaceId: string) => readonly Tool[]
  problems: (workspaceId: string) => LoadProblem[]
  /** Reads the folders of a workspace, anew after its trust has changed. */
  load: (workspace: Workspace) => void
}

/** Built-in tools, the person's own, and those that a trusted workspace brings. */
export function openTools(options: { home: string; logger: Logger }): WorkspaceTools {
  const { home, logger } = options
  const everywhere = read([])
  const loaded = new Map<string, { trusted: boolean; tools: readonly Tool[]; problems: LoadProblem[] }>()
  return {
    list: (workspaceId) => (loaded.get(workspaceId) ?? everywhere).tools,
    problems: (workspaceId) => (loaded.get(workspaceId) ?? everywhere).problems,
    load({ id, trusted, path: folder }) {
      if (loaded.get(id)?.trusted === trusted) return
      const found = trusted ? read([path.join(folder, '.troupe', 'tools')]) : everywhere
      loaded.set(id, { trusted, ...found })
    },
  }

  function read(folders: string[]): { tools: readonly Tool[]; problems: LoadProblem[] } {
    const own = loadTools([path.join(home, 'tools'), ...folders], getBuiltinTools())
    for (const problem of own.problems) {
      logger({ level: 'warn', ...problem, message: `a tool was not loaded: ${problem.message}` })
    }
    return { tools: [...getBuiltinTools(), ...own.entries.map((entry) => entry.value)], problems: own.problems }
  }
}
