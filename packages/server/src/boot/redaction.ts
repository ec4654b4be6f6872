import { readFileSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { redact } from '@troupe/core'
import { type ConfigFile, connectionSecrets } from '../config/config.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import type { Models } from '../models/models.ts'

/** Removes the server's secrets from texts. Services with secrets are added once they are open. */
export interface Redaction {
  sources: { config?: ConfigFile; models?: Models; mcp?: Mcp; others?: () => readonly string[] }
  /** Adds the passwords in the git config of a workspace. */
  load(workspace: { path: string }): void
  redact(text: string): string
}

/** `responds` is false for a folder that hangs. */
export function createRedaction(token: string, responds: (folder: string) => boolean): Redaction {
  const gitSecrets = createGitSecrets(responds)
  const sources: Redaction['sources'] = {}
  return {
    sources,
    load: (workspace) => gitSecrets.watch(workspace.path),
    redact(text) {
      const { config, models, mcp, others } = sources
      const { search, publish, connections } = config?.get() ?? {}
      const secrets = [
        token,
        search?.apiKey ?? '',
        publish?.bucket?.secretAccessKey ?? '',
        ...connectionSecrets(connections),
        ...(mcp?.secrets() ?? []),
        ...gitSecrets.all(),
        ...(others?.() ?? []),
      ]
      const clean = redact(text, secrets)
      return models?.redact(clean) ?? clean
    },
  }
}

/** Passwords and tokens from the git configs of open repositories, to redact from text. */
interface GitSecrets {
  watch(folder: string): void
  all(): string[]
}

const maxFolders = 100
const maxConfigBytes = 256 * 1024

/** `responds` is false for a folder that hangs. Its known secrets stay secret. */
function createGitSecrets(responds: (folder: string) => boolean): GitSecrets {
  const folders = new Map<string, { mtimeMs: number; secrets: string[] }>()
  return {
    watch(folder) {
      if (folders.size < maxFolders && !folders.has(folder)) folders.set(folder, { mtimeMs: -1, secrets: [] })
    },
    all() {
      for (const [folder, known] of folders) {
        if (!responds(folder)) continue
        const file = path.join(folder, '.git', 'config')
        const found = stats(file)
        if (found === undefined || found.mtimeMs === known.mtimeMs || found.size > maxConfigBytes) continue
        // Previous values stay secret.
        const secrets = [...new Set([...known.secrets, ...gitConfigSecrets(read(file))])].slice(-100)
        folders.set(folder, { mtimeMs: found.mtimeMs, secrets })
      }
      return [...folders.values()].flatMap(({ secrets }) => secrets)
    },
  }
}

function gitConfigSecrets(config: string): string[] {
  const secrets: string[] = []
  for (const [, user = '', password] of config.matchAll(/:\/\/([^\s/@:"]*)(?::([^\s/@"]*))?@/g)) {
    // A user name without a password may be a token. Short ones such as `git` are not.
    const secret = password ?? (user.length >= 16 ? user : '')
    secrets.push(secret, decoded(secret))
  }
  for (const [, header = ''] of config.matchAll(/extraheader\s*=.*?\b(?:basic|bearer|token)\s+([^\s"]+)/gi))
    secrets.push(header)
  return secrets.filter((secret) => secret !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function stats(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
