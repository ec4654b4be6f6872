import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { childEnvironment, findProgram, isolatedStart, queueStart, startProcess } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { FolderIsolation } from '../isolation/open-isolation.ts'

/** One call of git. Paths belong after `--`: they are taken literally, whatever they contain. */
export interface GitCall {
  args: readonly string[]
  /** Written to stdin. */
  input?: string | Uint8Array
  signal?: AbortSignal | undefined
  limitMs?: number
  /** Output beyond this is cut, and git is stopped. */
  maxBytes?: number
  /** Exit codes besides 0 that are an answer. */
  accepts?: readonly number[]
}

export interface GitResult {
  stdout: Buffer
  code: number
  /** The output was longer than `maxBytes`. */
  isCut: boolean
}

/** The place git works in. Set explicitly, so that neither discovery nor `core.worktree` of the folder leads elsewhere. */
export interface GitPlace {
  /** Top of the working tree. */
  root: string
  gitDir: string
  /** Only then do hooks, filters, signing and the network of the repository's settings work. */
  trusted: boolean
}

export type RunGit = (place: GitPlace, call: GitCall) => Promise<GitResult>

const defaultLimitMs = 30_000
const defaultMaxBytes = 16 * 2 ** 20
const maxComplaint = 16_384

/** Undefined if git is not installed. Looked up once, and never in the workspace. */
export function openGit(env: NodeJS.ProcessEnv, isolation?: FolderIsolation): RunGit | undefined {
  const program = findProgram('git', env)
  if (program === undefined) return undefined
  return async (place, call) => {
    const disarmed = place.trusted ? [] : await driverSettings(place, call.signal)
    return execute(program, place, call, disarmed)
  }

  /**
   * Settings can name programs for filters, merges and hooks, under names that the repository chooses. Listing the
   * settings runs none of them.
   */
  async function driverSettings(place: GitPlace, signal: AbortSignal | undefined): Promise<Setting[]> {
    const { stdout, isCut } = await execute(
      program!,
      place,
      { args: ['config', '--includes', '--list', '--name-only', '-z'], signal, maxBytes: 2 ** 20 },
      [],
    )
    // A setting that was not seen could run a program.
    if (isCut)
      throw new NamedError(
        'GitFailed',
        'The settings of this repository are too long to check. Trust the folder first.',
        {
          status: 409,
        },
      )
    return [...new Set(stdout.toString('utf8').split('\0'))].flatMap(disarm)
  }

  async function execute(git: string, place: GitPlace, call: GitCall, extra: readonly Setting[]): Promise<GitResult> {
    const { args, input, limitMs = defaultLimitMs, maxBytes = defaultMaxBytes } = call
    const limit = AbortSignal.timeout(limitMs)
    const signal = call.signal === undefined ? limit : AbortSignal.any([call.signal, limit])
    const inside = await isolatedStart(isolation?.(place.root), {
      argv: [git, ...args],
      cwd: place.root,
      env: gitEnvironment(place, env, extra),
      confinement: 'workspace',
      roots: [place.root],
    })
    const start = (): ChildProcessWithoutNullStreams =>
      // Its own group, so that hooks and filters end with it.
      spawn(inside.file, inside.args, { cwd: inside.cwd, env: inside.env, detached: true, windowsHide: true })
    const child = await queueStart(() => startProcess('Git', start), call.signal).catch((error: unknown) => {
      inside.release()
      throw error
    })
    const end = (): void => endGroup(child.pid)
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const chunks: Buffer[] = []
    let [size, isCut, complaint] = [0, false, '']
    child.stdout.on('data', (chunk: Buffer) => {
      if (isCut) return
      const left = maxBytes - size
      chunks.push(chunk.length > left ? chunk.subarray(0, left) : chunk)
      size += chunk.length
      if (size > maxBytes) {
        isCut = true
        end()
      }
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, maxComplaint)
    })
    // Git may end without reading all of it.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    signal.removeEventListener('abort', end)
    inside.release()
    call.signal?.throwIfAborted()
    if (limit.aborted)
      throw new NamedError('GitTimeout', 'Git took too long, so it was stopped. Try again, or use a terminal.', {
        status: 504,
      })
    if (!isCut && code !== 0 && !(call.accepts ?? []).includes(code ?? -1)) throw gitFailure(complaint, code)
    return { stdout: Buffer.concat(chunks), code: code ?? 0, isCut }
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

type Setting = readonly [key: string, value: string]

/** Overrides that hold in every folder: nothing runs in the background, asks, or changes the form of the output. */
const always: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'true'],
  ['core.pager', 'cat'],
  ['submodule.recurse', 'false'],
  ['status.submoduleSummary', 'false'],
  ['log.showSignature', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
]

const ifUntrusted: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['protocol.allow', 'never'],
  ['core.sshCommand', 'false'],
  ['core.askPass', ''],
  ['core.editor', 'false'],
  ['core.alternateRefsCommand', 'false'],
  ['commit.gpgSign', 'false'],
  ['merge.verifySignatures', 'false'],
  ['gpg.program', 'false'],
  ['diff.external', ''],
  ['credential.helper', ''],
]

/** Without a command, git leaves the content as it is. A merge whose program fails is a conflict. */
function disarm(key: string): Setting[] {
  const [, section, name, field] = /^([^.]+)\.(.+)\.([^.]+)$/s.exec(key) ?? []
  if (section === undefined) return []
  const is = (...fields: string[]): boolean => fields.includes(field ?? '')
  if (section === 'filter' && is('clean', 'smudge', 'process')) return [[key, '']]
  if (section === 'filter' && is('required')) return [[key, 'false']]
  if (section === 'diff' && is('command', 'textconv')) return [[key, '']]
  if (section === 'merge' && is('driver')) return [[key, 'false']]
  if (section === 'gpg' && is('program')) return [[key, 'false']]
  if (section === 'hook')
    return [
      [`hook.${name}.command`, ''],
      [`hook.${name}.enabled`, 'false'],
    ]
  return []
}

/** For the key `filter.<name>.clean` and the like, in any letter case. */
export function namesFilter(key: string): boolean {
  return disarm(key).some(([changed, value]) => changed.startsWith('filter.') && value === '')
}

function gitEnvironment(
  { root, gitDir, trusted }: GitPlace,
  own: NodeJS.ProcessEnv,
  extra: readonly Setting[],
): Record<string, string> {
  const settings = [...always, ...(trusted ? [] : [...ifUntrusted, ...extra])]
  const numbered: Record<string, string> = {}
  for (const [index, [key, value]] of settings.entries()) {
    numbered[`GIT_CONFIG_KEY_${index}`] = key
    numbered[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return {
    ...childEnvironment(own),
    GIT_DIR: gitDir,
    GIT_WORK_TREE: root,
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_EDITOR: 'false',
    // Messages are parsed.
    LC_ALL: 'C.UTF-8',
    // `protocol.allow` is not enough: settings of the folder can allow a single protocol.
    ...(!trusted && { GIT_CONFIG_NOSYSTEM: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }),
    GIT_CONFIG_COUNT: String(settings.length),
    ...numbered,
  }
}

type Failure = readonly [pattern: RegExp, name: string, status: number, message: string]

const failures: readonly Failure[] = [
  [
    /no space left on device|out of disk ?space|disk quota exceeded/i,
    'DiskFull',
    507,
    'The disk is full, so git saved nothing. Free some space, then try again.',
  ],
  [
    /unable to (?:create|write) .*\.lock'?: file exists|another git process seems to be running/i,
    'GitBusy',
    409,
    'Another git command is running in this repository. Wait for it, then try again.',
  ],
  [
    /author identity unknown|empty ident name|unable to auto-detect email|please tell me who you are/i,
    'GitIdentityMissing',
    409,
    'Git does not know your name and email address. Set them with "git config --global user.name" and "git config --global user.email", then commit again.',
  ],
  [
    /nothing (?:added )?to commit|no changes added to commit/i,
    'NothingStaged',
    409,
    'Nothing is staged. Stage a file first.',
  ],
  [
    /transport '.*' not allowed|lazy fetching disabled/i,
    'GitOffline',
    409,
    'This repository needs objects from its remote. Trust the folder, or use a terminal.',
  ],
  [
    /permission denied|read-only file system|insufficient permission/i,
    'NotWritable',
    409,
    'Git is not allowed to write to this repository. Check its owner and permissions, then try again.',
  ],
]

function gitFailure(complaint: string, code: number | null): NamedError {
  const said = complaint.trim()
  const known = failures.find(([pattern]) => pattern.test(said))
  if (known !== undefined) return new NamedError(known[1], known[3], { status: known[2], data: { said } })
  const lines = said
    .split('\n')
    .filter((line) => !/^(?:hint|warning): /.test(line))
    .map((line) => line.replace(/^(?:error|fatal): /, ''))
  const message = lines.join('\n').slice(0, 2000) || `Git failed (exit code ${code ?? 'unknown'}).`
  return new NamedError('GitFailed', message, { status: 409, data: { code } })
}
