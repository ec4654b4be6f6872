import path from 'node:path'
import { getBuiltinTools, loadTools, type Store, type Tool, type Workspace } from '@troupe/core'
import type { Logger } from './logger.ts'

export interface Tools {
  list: () => readonly Tool[]
  problems: () => { path: string; message: string }[]
  load: () => Promise<void>
}

/** Built-in tools, the person's own, and those of a trusted workspace. */
export function openTools(options: { home: string; store: Store; workspace: Workspace; logger: Logger }): Tools {
  const { home, store, workspace, logger } = options
  let tools: Tool[] = []
  let problems: { path: string; message: string }[] = []
  return {
    list: () => tools,
    problems: () => problems,
    async load() {
      const { trusted } = (await store.workspaces.get(workspace.id)) ?? workspace
      const folders = [path.join(home, 'tools'), ...(trusted ? [path.join(workspace.path, '.troupe', 'tools')] : [])]
      const own = loadTools(folders, getBuiltinTools())
      tools = [...getBuiltinTools(), ...own.entries.map((entry) => entry.value)]
      problems = own.problems
      for (const problem of problems) {
        logger({ level: 'warn', ...problem, message: `a tool was not loaded: ${problem.message}` })
      }
    },
  }
}
