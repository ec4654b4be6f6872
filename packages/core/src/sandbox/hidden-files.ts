import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { secretFiles, secretFolders, secretIn } from '@troupe/command-policy'
import type { Forbidden } from '../access/decision.ts'
import { isInside } from '../files/resolve-path.ts'
import { shortageOf } from '../process/start-process.ts'
import { runRipgrep } from '../search/ripgrep.ts'

const forbiddenSearchMs = 5000
const maxCachedSearches = 20

/** Finds the paths that rules forbid. One per agent. */
export class ForbiddenFinder {
  private readonly looks = new Map<string, { at: number; found: Promise<string[]> }>()

  /**
   * Returns the forbidden real paths in folders that a command will see. A folder stands for all its content. Throws an
   * Error for the model if a scan takes too long.
   */
  within(forbidden: Forbidden, folders: readonly string[]): Promise<string[]> {
    const key = JSON.stringify([forbidden.rules, forbidden.starts, folders])
    const last = this.looks.get(key)
    if (last !== undefined && performance.now() - last.at <= freshMs) return last.found
    return this.look(key, forbidden, folders).found
  }

  private look(
    key: string,
    forbidden: Forbidden,
    folders: readonly string[],
  ): { at: number; found: Promise<string[]> } {
    const look = { at: performance.now(), found: findForbidden(forbidden, folders) }
    if (this.looks.size >= maxCachedSearches) this.looks.clear()
    this.looks.set(key, look)
    look.found.catch(() => this.looks.get(key) === look && this.looks.delete(key))
    return look
  }

  dispose(): void {
    this.looks.clear()
  }
}

async function findForbidden(forbidden: Forbidden, folders: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  const areas = new Set<string>()
  for (const start of forbidden.starts) {
    const real = realOf(start)
    if (real === undefined) continue
    // If a rule names a symlink, hide its target.
    if (forbidden.matches(start) || forbidsWholeFolder(start, forbidden)) found.add(real)
    else
      for (const folder of folders)
        if (isInside(start, folder) || isInside(folder, start)) areas.add(isInside(start, folder) ? start : folder)
  }
  const outer = [...areas].filter((area) => ![...areas].some((other) => other !== area && isInside(area, other)))
  await Promise.all(outer.map((area) => searchForbidden(area, forbidden, found)))
  return [...found]
}

async function searchForbidden(area: string, forbidden: Forbidden, found: Set<string>): Promise<void> {
  const whole = new Map<string, boolean>()
  const signal = AbortSignal.timeout(forbiddenSearchMs)
  let rest = ''
  const searching = runRipgrep({
    args: ['--no-config', '--files', '--hidden', '--no-ignore', '--null', '--no-messages', '--', './'],
    cwd: area,
    signal,
    onText(text) {
      const names = (rest + text).split('\0')
      rest = names.pop() ?? ''
      for (const name of names) add(path.join(area, name))
      return true
    },
  })
  await searching.catch(() => undefined)
  if (signal.aborted)
    throw new Error(
      `"${area}" is too large to check against deny rules, so the command did not run. Write rules for folders, such as "Read(secrets/**)".`,
    )

  function add(file: string): void {
    const folder = outermost(path.dirname(file))
    if (folder !== undefined) found.add(folder)
    else if (forbidden.matches(file)) found.add(file)
  }

  /** Returns the outermost parent folder whose entire content is forbidden. */
  function outermost(folder: string): string | undefined {
    if (!isInside(folder, area)) return undefined
    const above = folder === area ? undefined : outermost(path.dirname(folder))
    if (above !== undefined) return above
    const known = whole.get(folder) ?? forbidsWholeFolder(folder, forbidden)
    whole.set(folder, known)
    return known ? folder : undefined
  }
}

function forbidsWholeFolder(folder: string, { matches }: Forbidden): boolean {
  return matches(`${folder}/a-name-nobody-gave`) && matches(`${folder}/b/another.name`)
}

function realOf(place: string): string | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync(place)
  } catch {
    return undefined
  }
}

const freshMs = 1000
/** In a large folder, a command starts with the secrets of the last scan rather than wait longer for the next. */
const patienceMs = 300
const secretSearchMs = 3000

/** Finds files and folders with secrets in the workspace. One per agent. */
export class SecretFinder {
  private readonly patienceMs: number
  private readonly looks = new Map<string, { at: number; found: Promise<string[]> }>()

  constructor(options: { patienceMs?: number } = {}) {
    this.patienceMs = options.patienceMs ?? patienceMs
  }

  /** Scans a granted folder completely, now. Throws an Error for the model if that takes too long. */
  async inGranted(folder: string): Promise<string[]> {
    const { found, complete } = await findSecrets(folder, [])
    if (complete) return found
    throw new Error(`"${folder}" is too large to check for secrets before a command reads it. Choose a smaller folder.`)
  }

  /** Returns absolute paths. */
  async within(root: string): Promise<string[]> {
    const last = this.looks.get(root)
    if (last === undefined) return this.look(root).found
    if (performance.now() - last.at <= freshMs) return last.found
    const next = this.look(root)
    this.looks.set(root, { at: next.at, found: last.found })
    const done = next.found.then(
      (found) => {
        this.looks.set(root, next)
        return found
      },
      () => last.found,
    )
    return Promise.race([done, delay(this.patienceMs, undefined, { ref: false }).then(() => last.found)])
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
/** Downloaded and built files hold none of the user's secrets, and are most of the files. */
const skippedFolders = ['.git', 'node_modules', '.venv', 'venv', '__pycache__', 'target', '.gradle', '.next', '.cache']

/** Returns partial results when time runs out. Rejects if the search cannot start right now. */
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

/** Returns the file, or the folder whose entire content is secret. */
function secretPath(name: string, root: string): string | undefined {
  const folder = secretFolders.find((one) => `/${name}`.toLowerCase().includes(`/${one.toLowerCase()}/`))
  if (folder !== undefined)
    return name.slice(0, `/${name}`.toLowerCase().indexOf(`/${folder.toLowerCase()}/`) + folder.length)
  return secretIn(name) !== undefined && !isHarmless(path.join(root, name)) ? name : undefined
}

/** Settings that programs require, and certificates, are secret only if they contain a secret. */
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
