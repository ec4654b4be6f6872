import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentState } from '../agent-state.ts'
import { gitSettings } from '../sandbox/git-settings.ts'
import { childEnvironment } from './child-environment.ts'

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
