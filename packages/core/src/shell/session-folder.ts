import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { childEnvironment } from '../process/child-environment.ts'
import type { AgentState } from '../tool/agent-state.ts'

/** Who commits and how files are written. Nothing that names a key, a password, an address or a program. */
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

/** What git may know of the person's own settings inside the sandbox, as a file for it. Undefined where there is nothing. */
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

/** What commands of a session that may write find inside the sandbox besides the workspace. Ends with the state. */
export class SessionFolder {
  /** Is `/tmp` there: files hold from one command to the next. */
  readonly temporary: Promise<string>
  /** Is `~/.gitconfig` there, where the person has something to put into it. */
  readonly gitConfig: Promise<string | undefined>
  private readonly folder = mkdtemp(path.join(tmpdir(), 'troupe-session-')).then((made) => realpath(made))

  static of({ kept }: Pick<AgentState, 'kept'>): SessionFolder {
    const known = kept.get(name)
    if (known instanceof SessionFolder) return known
    const folder = new SessionFolder()
    kept.set(name, folder)
    return folder
  }

  static forget({ kept }: Pick<AgentState, 'kept'>): void {
    const known = kept.get(name)
    kept.delete(name)
    if (known instanceof SessionFolder) known.dispose().catch(() => undefined)
  }

  constructor() {
    this.temporary = this.folder.then(async (folder) => {
      await mkdir(path.join(folder, 'tmp'))
      return path.join(folder, 'tmp')
    })
    this.gitConfig = this.folder.then(async (folder) => {
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
