import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { isInside } from '@troupe/core'
import { type McpEntry, NamedError } from '@troupe/protocol'
import { readTextFile, writeTextFile } from '../config/text-file.ts'

/** Changes with the entry of a server as it is written in its file. */
export function entryVersion(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 32)
}

/** False for a link out of the folder: a project could link its file to one of the user's. */
export function isEditableFile(file: string, root: string): boolean {
  return existsSync(file) && isInside(realpathSync(file), realpathSync(root))
}

interface EntryChange {
  /** The folder that the file must be in. */
  root: string
  name: string
  /** Version of the entry that is replaced. */
  version: string
  /** Undefined removes the entry. */
  entry: McpEntry | undefined
}

/**
 * Replaces one entry of `mcpServers` in a JSON file and keeps everything else in it. Throws `FileChanged` (409) if the
 * entry or the file changed meanwhile, and `FileNotEditable` (409).
 */
export function writeMcpEntry(file: string, { root, name, version, entry }: EntryChange): void {
  const before = readTextFile(file, root)
  const content = parsed(before.text)
  const servers = content?.['mcpServers']
  if (!isObject(servers) || entryVersion(servers[name]) !== version) throw fileChanged(file)
  const { [name]: _, ...others } = servers
  const next = entry === undefined ? others : { ...servers, [name]: entry }
  const text = JSON.stringify({ ...content, mcpServers: next }, null, indentOf(before.text))
  writeTextFile(file, `${text}\n`, { root, version: before.version })
}

export function fileChanged(file: string): NamedError {
  return new NamedError('FileChanged', `${file} was changed by someone else since you opened it.`, {
    status: 409,
    data: { file },
  })
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    // Someone is editing it right now.
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function indentOf(text: string): string {
  return /^[\t ]+(?=")/m.exec(text)?.[0] ?? '  '
}
