import type { McpStateFile, McpServerState, McpSource } from './server-status.ts'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { readJsonFile, watchFile } from '../config/config.ts'
import { writePrivately } from '../config/home.ts'
import path from 'node:path'

const serverStateSchema = z.looseObject({
  command: z.string().optional(),
  tools: z.string().optional(),
  enabled: z.boolean().optional(),
  useTools: z.array(z.string()).nullable().optional(),
})

const stateFileSchema = z.looseObject({
  home: z.record(z.string(), serverStateSchema).default({}),
  projects: z.record(z.string(), z.record(z.string(), serverStateSchema)).default({}),
})

type StateFileContent = z.infer<typeof stateFileSchema>

/**
 * Opens `mcp-state.json` of the home, so no project can declare itself trusted. Throws `BadConfig` if it is unreadable
 * at first.
 */
export function openMcpStateFile(home: string): McpStateFile {
  const file = watchFile(path.join(home, 'mcp-state.json'), readStateFile)
  if (file.get() === undefined) throw file.problem() as NamedError
  return {
    of: (source, folder) => statesAt(file.get() as StateFileContent, source, folder)[source.name] ?? {},
    change(source, folder, change) {
      update(source, folder, (entries) => ({
        ...entries,
        [source.name]: { ...ownState(entries, source.name), ...change },
      }))
    },
    forget(source, folder) {
      update(source, folder, (entries) =>
        Object.fromEntries(Object.entries(entries).filter(([name]) => name !== source.name)),
      )
    },
  }

  function update(
    source: Pick<McpSource, 'origin' | 'name'>,
    folder: string,
    change: (entries: Record<string, McpServerState>) => Record<string, McpServerState>,
  ): void {
    const current = readStateFile(file.path)
    const entries = change(statesAt(current, source, folder))
    const next: unknown =
      source.origin === 'home'
        ? { ...current, home: entries }
        : { ...current, projects: { ...current.projects, [folder]: entries } }
    writePrivately(file.path, `${JSON.stringify(next, null, 2)}\n`)
  }
}

function statesAt(
  { home, projects }: StateFileContent,
  { origin }: Pick<McpSource, 'origin'>,
  folder: string,
): Record<string, McpServerState> {
  if (origin === 'home') return { ...home }
  return Object.hasOwn(projects, folder) ? { ...projects[folder] } : {}
}

function ownState(entries: Record<string, McpServerState>, name: string): McpServerState {
  return Object.hasOwn(entries, name) ? (entries[name] as McpServerState) : {}
}

function readStateFile(file: string): StateFileContent {
  const result = stateFileSchema.safeParse(readJsonFile(file) ?? {})
  if (result.success) return result.data
  const issues = result.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`)
  throw new NamedError('BadConfig', `${file}: ${issues.slice(0, 5).join('; ')}.`, { data: { file, issues } })
}
