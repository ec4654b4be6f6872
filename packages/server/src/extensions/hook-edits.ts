import { createHash } from 'node:crypto'
import path from 'node:path'
import { type HookEvent, type HooksConfig, hooksConfigSchema, parseRule, type Workspace } from '@troupe/core'
import { type HookDraft, NamedError } from '@troupe/protocol'
import { type Config, type ConfigFile, parseConfig } from '../config/config.ts'
import { readTextFile, writeTextFile } from '../config/text-file.ts'

type HookEntry = NonNullable<HooksConfig[HookEvent]>[number]
export type HookScope = 'home' | 'project'

/** Identifies an entry by its content, so an entry that changed on disk is not found any more. */
export function hookId(scope: HookScope, event: HookEvent, entries: readonly HookEntry[], index: number): string {
  const hashes = entries.map((entry) => createHash('sha256').update(JSON.stringify(entry)).digest('hex').slice(0, 16))
  const same = hashes.slice(0, index).filter((hash) => hash === hashes[index]).length
  return `${scope}-${event}-${hashes[index]}-${same}`
}

/** Adds, changes and removes hooks in `config.json` of the home, or of a folder that the user trusts. */
export interface HookEdits {
  add(workspace: Workspace, scope: HookScope, draft: HookDraft): Promise<string>
  change(workspace: Workspace, id: string, patch: Partial<HookDraft>): Promise<string>
  remove(workspace: Workspace, id: string): Promise<void>
}

export function createHookEdits(options: { config: ConfigFile }): HookEdits {
  const { config } = options
  return {
    add: (workspace, scope, draft) =>
      update(workspace, scope, (hooks) => place(hooks, scope, draft.event, undefined, toEntry({}, draft))),
    change(workspace, id, patch) {
      const scope = scopeOf(id)
      return update(workspace, scope, (hooks) => {
        const found = find(hooks, scope, id)
        const { event = found.event } = patch
        const index = event === found.event ? found.index : undefined
        const entry = toEntry(found.entry, patch)
        const rest = index === undefined ? without(hooks, found) : hooks
        return place(rest, scope, event, index, entry)
      })
    },
    async remove(workspace, id) {
      const scope = scopeOf(id)
      await update(workspace, scope, (hooks) => ({ hooks: without(hooks, find(hooks, scope, id)), id }))
    },
  }

  async function update(
    workspace: Workspace,
    scope: HookScope,
    change: (hooks: HooksConfig) => { hooks: HooksConfig; id: string },
  ): Promise<string> {
    let id = ''
    const apply = (current: Config): Config => {
      const changed = change(current.hooks ?? {})
      id = changed.id
      return { ...current, hooks: changed.hooks }
    }
    if (scope === 'home') await config.update(apply)
    else updateProject(workspace, apply)
    return id
  }
}

/** Keeps unknown settings, the order of keys and the indentation. */
function updateProject(workspace: Workspace, apply: (config: Config) => Config): void {
  if (!workspace.trusted)
    throw new NamedError('FolderNotTrusted', 'This folder is not trusted. Trust it before you add hooks to it.', {
      status: 403,
    })
  const file = path.join(workspace.path, '.troupe', 'config.json')
  const { text, version } = readTextFile(file, workspace.path)
  const { hooks } = apply(text === '' ? {} : parseConfig(text, file))
  const given = text === '' ? {} : (JSON.parse(text) as object)
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? 2
  writeTextFile(file, JSON.stringify({ ...given, hooks }, null, indent), { root: workspace.path, version })
}

function place(
  hooks: HooksConfig,
  scope: HookScope,
  event: HookEvent,
  index: number | undefined,
  entry: HookEntry,
): { hooks: HooksConfig; id: string } {
  const entries = [...(hooks[event] ?? [])]
  const at = index ?? entries.length
  entries[at] = entry
  return { hooks: { ...hooks, [event]: entries }, id: hookId(scope, event, entries, at) }
}

interface FoundHook {
  event: HookEvent
  index: number
  entry: HookEntry
}

function find(hooks: HooksConfig, scope: HookScope, id: string): FoundHook {
  for (const [event, entries = []] of Object.entries(hooks) as [HookEvent, HookEntry[] | undefined][]) {
    const index = entries.findIndex((_, at) => hookId(scope, event, entries, at) === id)
    if (index >= 0) return { event, index, entry: entries[index] as HookEntry }
  }
  throw new NamedError('HookNotFound', 'This hook was changed or deleted since you opened it. Reload the list.', {
    status: 404,
  })
}

function without(hooks: HooksConfig, { event, index }: FoundHook): HooksConfig {
  const left = (hooks[event] ?? []).filter((_, at) => at !== index)
  const { [event]: _, ...rest } = hooks
  return left.length === 0 ? rest : { ...rest, [event]: left }
}

function scopeOf(id: string): HookScope {
  return id.startsWith('project-') ? 'project' : 'home'
}

/** Omitted fields and those that Troupe does not know stay as they are. */
function toEntry(before: Partial<HookEntry>, draft: Partial<HookDraft>): HookEntry {
  const { event: _, ...fields } = draft
  const entry: Record<string, unknown> = { ...before }
  for (const [key, value] of Object.entries(fields)) {
    if (value === null || (key === 'enabled' && value === true)) delete entry[key]
    else if (value !== undefined) entry[key] = value
  }
  const result = hooksConfigSchema.shape['before-call'].unwrap().element.safeParse(entry)
  if (!result.success) {
    const issues = result.error.issues.map(({ message }) => message).join('; ')
    throw badHook(String(result.error.issues[0]?.path[0] ?? 'command'), `The hook is invalid: ${issues}.`)
  }
  for (const [index, rule] of [result.data.match ?? []].flat().entries())
    try {
      if (rule !== '*') parseRule(rule)
    } catch (error) {
      throw badHook('match', `The hook's "match" is invalid in line ${index + 1}: ${(error as Error).message}`)
    }
  return result.data
}

function badHook(field: string, message: string): NamedError {
  return new NamedError('BadHook', message, { status: 422, data: { field } })
}
