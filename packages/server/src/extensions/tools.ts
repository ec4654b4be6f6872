import path from 'node:path'
import {
  buildTools,
  enabledTools,
  getBuiltinTools,
  getToolInfos,
  loadTools,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import { toolEndpoints } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Logger } from '../util/logger.ts'

export interface LoadProblem {
  path: string
  message: string
}

interface ToolFiles {
  /** Returns the tools of a workspace, or only the global ones if it was never loaded. */
  list: (workspaceId: string) => readonly Tool[]
  problems: (workspaceId: string) => LoadProblem[]
  /** Reads the workspace's folders, and rereads them if its trust changed. */
  load: (workspace: Workspace) => void
}

export function openTools(options: { home: string; logger: Logger }): ToolFiles {
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

/** The tools of each workspace: built-in ones, tool files, MCP servers and the browser. */
export interface WorkspaceTools {
  list(workspaceId: string): readonly Tool[]
  /** Those that the settings enable. */
  enabled(workspaceId: string): readonly Tool[]
  infos(workspaceId: string): ReturnType<typeof getToolInfos>
}

export function createWorkspaceTools({
  files,
  mcp,
  browsers,
  config,
}: {
  files: Pick<ToolFiles, 'list'>
  mcp: { join(workspaceId: string, tools: readonly Tool[]): readonly Tool[] }
  browsers: { offered(tools: readonly Tool[]): readonly Tool[] }
  config: Pick<ConfigFile, 'get'>
}): WorkspaceTools {
  const tools: WorkspaceTools = {
    list: (workspaceId) => browsers.offered(mcp.join(workspaceId, files.list(workspaceId))),
    enabled: (workspaceId) => enabledTools(config.get().useTools, tools.list(workspaceId)),
    infos: (workspaceId) => getToolInfos(config.get().useTools, tools.list(workspaceId)),
  }
  return tools
}

export function toolRoutes(options: {
  tools: WorkspaceTools
  problems: (workspace: Workspace) => LoadProblem[]
  store: Store
}): Route[] {
  return implement(toolEndpoints, {
    'GET /ai/tools': async ({ query, workspaceId }) => {
      const tools = options.tools.list(workspaceId)
      const schemas = query.schemas === undefined ? [] : buildTools(tools).map(({ inputSchema }) => inputSchema)
      return {
        tools: options.tools.infos(workspaceId).map((info, i) => ({
          ...info,
          readOnly: tools[i]?.readOnly ?? false,
          group: tools[i]?.group ?? '',
          inputSchema: schemas[i] as Record<string, unknown> | undefined,
        })),
        problems: options.problems(await findWorkspace(options.store, workspaceId)),
      }
    },
  })
}
