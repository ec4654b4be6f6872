import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Passwords and tokens from the git configs of open repositories, to redact from text. */
export interface GitSecrets {
  watch(folder: string): void
  all(): string[]
}

const maxFolders = 100
const maxConfigBytes = 256 * 1024

export function createGitSecrets(): GitSecrets {
  const folders = new Map<string, { mtimeMs: number; secrets: string[] }>()
  return {
    watch(folder) {
      if (folders.size < maxFolders && !folders.has(folder)) folders.set(folder, { mtimeMs: -1, secrets: [] })
    },
    all() {
      for (const [folder, known] of folders) {
        const file = path.join(folder, '.git', 'config')
        const found = statSync(file, { throwIfNoEntry: false })
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

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
