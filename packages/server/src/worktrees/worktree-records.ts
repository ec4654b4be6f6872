import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { writePrivately } from '../config/home.ts'

const setupSchema = z.object({
  command: z.string(),
  state: z.enum(['running', 'done', 'failed', 'interrupted']),
  /** End of its output. */
  output: z.string(),
})
export type SetupRun = z.infer<typeof setupSchema>

const recordSchema = z.object({
  id: z.string(),
  /** Workspace it was made from. */
  parentId: z.string(),
  /** Its own workspace. */
  workspaceId: z.string(),
  name: z.string(),
  path: z.string(),
  branch: z.string(),
  /** Branch it will be merged into. Absent if it started from a commit. */
  base: z.string().optional(),
  /** Commit it started from. */
  start: z.string(),
  createdAt: z.number(),
  setup: setupSchema.optional(),
})
export type WorktreeRecord = z.infer<typeof recordSchema>

/** Facts about worktrees that git does not keep: one file each, next to their folders in the home. */
export interface WorktreeRecords {
  folder: string
  list(): WorktreeRecord[]
  get(id: string): WorktreeRecord | undefined
  save(record: WorktreeRecord): void
  remove(id: string): void
}

export function openWorktreeRecords(home: string): WorktreeRecords {
  const folder = path.join(home, 'worktrees')
  const fileOf = (id: string): string => path.join(folder, `${id}.json`)
  const read = (id: string): WorktreeRecord | undefined => {
    try {
      return recordSchema.parse(JSON.parse(readFileSync(fileOf(id), 'utf8')))
    } catch {
      // Missing or damaged. The worktree itself stays, and git lists it.
      return undefined
    }
  }
  // Only this process writes them.
  const known = new Map(
    names(folder)
      .flatMap((name) => (name.endsWith('.json') ? [read(name.slice(0, -5))] : []))
      .flatMap((record) => (record === undefined ? [] : [[record.id, record]])),
  )
  return {
    folder,
    list: () => [...known.values()],
    get: (id) => known.get(id),
    save(record) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writePrivately(fileOf(record.id), `${JSON.stringify(record, null, 2)}\n`)
      known.set(record.id, record)
    },
    remove(id) {
      rmSync(fileOf(id), { force: true })
      known.delete(id)
    },
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** A short name for folder and branch: `Fix the login` becomes `fix-the-login-3f9a`. */
export function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '')
  return `${words === '' ? 'work' : words}-${randomBytes(2).toString('hex')}`
}
