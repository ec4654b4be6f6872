import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A member's computer: a folder of its own, and `troupe node` as a real process. */
export interface Laptop {
  /** The folder that it shares. */
  folder: string
  /** A file beside that folder. */
  secret: string
  /** Joins, and resolves with the id of the workspace once it is connected. */
  join(): Promise<string>
  /** Resolves when it connects the next time. */
  connected(): Promise<void>
  kill(): Promise<void>
  remove(): Promise<void>
}

const program = fileURLToPath(new URL('../../../../cli/src/main.ts', import.meta.url))

export function createLaptop(url: string, token: string): Laptop {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-laptop-')))
  const folder = path.join(root, 'app')
  const secret = path.join(root, 'secret.txt')
  for (const one of [folder, path.join(root, 'home')]) mkdirSync(one, { mode: 0o700 })
  writeFileSync(secret, 'nobody else reads this')
  let child: ChildProcessWithoutNullStreams | undefined
  let lines: AsyncIterator<string> | undefined
  const laptop: Laptop = {
    folder,
    secret,
    async join() {
      const flags = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning']
      const args = ['node', '--join', url, '--folder', folder, '--name', 'laptop', '--json']
      child = spawn(process.execPath, [...flags, program, ...args], {
        env: { PATH: process.env['PATH'], HOME: root, TROUPE_HOME: path.join(root, 'home'), TROUPE_TOKEN: token },
      })
      child.stderr.pipe(process.stderr)
      lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      return nextConnection()
    },
    async connected() {
      await nextConnection()
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    async remove() {
      await laptop.kill()
      rmSync(root, { recursive: true, force: true })
    },
  }
  return laptop

  async function nextConnection(): Promise<string> {
    const line = await lines?.next()
    if (line === undefined || line.done === true) throw new Error('troupe node ended')
    const state = JSON.parse(line.value) as { folders: { workspaceId: string }[] }
    return state.folders[0]!.workspaceId
  }
}
