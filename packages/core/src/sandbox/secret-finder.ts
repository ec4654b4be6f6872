import { readFileSync } from 'node:fs'
import path from 'node:path'
import { secretIn } from '../permission/place-names.ts'
import { secretFiles, secretFolders } from '../permission/secret-files.ts'
import { runRipgrep } from '../search/ripgrep.ts'
import { shortageOf } from '../start-process.ts'

const freshMs = 10_000
const secretSearchMs = 3000

/** Files and folders with secrets in the folders that are worked in. One for each agent. */
export class SecretFinder {
  private readonly looks = new Map<string, { at: number; found: Promise<string[]> }>()

  /** In a folder that was granted: all of it, looked through now. Throws an Error for the model when that takes too long. */
  async inGranted(folder: string): Promise<string[]> {
    const { found, complete } = await findSecrets(folder, [])
    if (complete) return found
    throw new Error(
      `"${folder}" is too large to look through for secrets before a command may read it. Name a smaller one.`,
    )
  }

  /** Absolute paths. The first look is waited for; a later one is made beside, and counts once it is done. */
  within(root: string): Promise<string[]> {
    const last = this.looks.get(root)
    if (last === undefined) return this.look(root).found
    if (performance.now() - last.at > freshMs) {
      const next = this.look(root)
      this.looks.set(root, { at: next.at, found: last.found })
      next.found.then(
        () => this.looks.set(root, next),
        () => undefined,
      )
    }
    return last.found
  }

  private look(root: string): { at: number; found: Promise<string[]> } {
    const look = { at: performance.now(), found: findSecrets(root, skippedFolders).then(({ found }) => found) }
    this.looks.set(root, look)
    look.found.catch(() => this.looks.get(root) === look && this.looks.delete(root))
    return look
  }

  dispose(): void {
    this.looks.clear()
  }
}

const globs = [
  ...secretFiles.map((glob) => `--iglob=**/${glob}`),
  ...secretFolders.map((glob) => `--iglob=**/${glob}/**`),
]
/** What is fetched or built has no secrets of the person, and most of the files. */
const skippedFolders = ['.git', 'node_modules', '.venv', 'venv', '__pycache__', 'target', '.gradle', '.next', '.cache']

/** What could be found in time is better than nothing. Rejects when the search could not be started at the moment. */
async function findSecrets(root: string, without: readonly string[]): Promise<{ found: string[]; complete: boolean }> {
  const left = without.map((folder) => `--glob=!${folder}`)
  const found = new Set<string>()
  let rest = ''
  const searching = runRipgrep({
    args: [
      '--no-config',
      '--files',
      '--hidden',
      '--no-ignore',
      '--null',
      '--no-messages',
      ...globs,
      ...left,
      '--',
      './',
    ],
    cwd: root,
    signal: new AbortController().signal,
    limitMs: secretSearchMs,
    onText(text) {
      const names = (rest + text).split('\0')
      rest = names.pop() ?? ''
      for (const name of names) {
        const secret = secretPath(name.replace(/^\.\//, ''), root)
        if (secret !== undefined) found.add(path.join(root, secret))
      }
      return true
    },
  })
  let complete = true
  await searching.catch((error: unknown) => {
    if (shortageOf(error) !== undefined) throw error
    complete = (error as Error).name !== 'TimeoutError'
  })
  return { found: [...found], complete }
}

/** The file, or the folder in which everything is secret. */
function secretPath(name: string, root: string): string | undefined {
  const folder = secretFolders.find((one) => `/${name}`.toLowerCase().includes(`/${one.toLowerCase()}/`))
  if (folder !== undefined)
    return name.slice(0, `/${name}`.toLowerCase().indexOf(`/${folder.toLowerCase()}/`) + folder.length)
  return secretIn(name) !== undefined && !isHarmless(path.join(root, name)) ? name : undefined
}

/** Settings that programs cannot do without, and certificates, are secret only if there is a secret in them. */
function isHarmless(file: string): boolean {
  const telling = /\.pem$/i.test(file)
    ? /PRIVATE KEY/
    : /(^|\/)\.(npmrc|yarnrc\.yml)$/i.test(file)
      ? /(auth|password|token)\w*['"]?\s*[:=]\s*['"]?(?!\$\{)\S/i
      : undefined
  if (telling === undefined) return false
  try {
    return !telling.test(readFileSync(file, 'latin1'))
  } catch {
    return false
  }
}
