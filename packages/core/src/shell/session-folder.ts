import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { giveTo, makeTemporaryFolder } from '../files/temporary-files.ts'
import { childEnvironment } from '../process/child-environment.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { Isolation } from '../tool/isolation.ts'

/**
 * Committer identity and file format settings. Excludes anything that names a key, a password, an address or a program.
 */
const copiedSettings = new Set([
  'user.name',
  'user.email',
  'init.defaultbranch',
  'core.autocrlf',
  'core.eol',
  'core.quotepath',
  'merge.conflictstyle',
  'safe.directory',
])

/** Returns the user's git settings that are safe inside the sandbox, as a config file. Undefined if there are none. */
async function gitSettings(env: Record<string, string>): Promise<string | undefined> {
  const listing = await promisify(execFile)('git', ['config', '--global', '--list', '-z'], { env, cwd: '/' }).catch(
    // There is no git, or there are no settings.
    () => undefined,
  )
  const lines = (listing?.stdout ?? '').split('\0').flatMap((entry) => {
    const at = entry.indexOf('\n')
    const name = entry.slice(0, at)
    if (at === -1 || !copiedSettings.has(name)) return []
    const [section, key] = name.split('.')
    return `[${section}]\n\t${key} = ${quoted(entry.slice(at + 1))}\n`
  })
  return lines.length === 0 ? undefined : lines.join('')
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`
}

const name = 'session-folder'

/** Files that writable commands of a session see in the sandbox besides the workspace. Disposed with the state. */
export class SessionFolder {
  /** Mounted as `/tmp`, so files persist between commands. */
  readonly temporary: Promise<string>
  /** Mounted as `~/.gitconfig`, if the user has settings for it. */
  readonly gitConfig: Promise<string | undefined>
  private readonly folder: Promise<string>

  static of({ resources: kept, isolation }: Pick<AgentState, 'resources' | 'isolation'>): SessionFolder {
    const known = kept.get(name)
    if (known instanceof SessionFolder) return known
    const folder = new SessionFolder(isolation)
    kept.set(name, folder)
    return folder
  }

  static forget({ resources: kept }: Pick<AgentState, 'resources'>): void {
    const known = kept.get(name)
    kept.delete(name)
    if (known instanceof SessionFolder) known.dispose().catch(() => undefined)
  }

  constructor(isolation?: Isolation) {
    this.folder = makeTemporaryFolder('session', isolation)
    this.temporary = this.folder.then(async (folder) => {
      const made = path.join(folder, 'tmp')
      await mkdir(made)
      await giveTo(isolation, made)
      return made
    })
    this.gitConfig = this.folder.then(async (folder) => {
      // The server's settings are nobody's own.
      if (isolation !== undefined) return undefined
      const settings = await gitSettings(childEnvironment())
      if (settings === undefined) return undefined
      const file = path.join(folder, 'gitconfig')
      await writeFile(file, settings)
      return file
    })
  }

  async dispose(): Promise<void> {
    await Promise.allSettled([this.temporary, this.gitConfig])
    await rm(await this.folder, { recursive: true, force: true })
  }
}
