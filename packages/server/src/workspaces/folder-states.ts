import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { withinTime } from '../util/concurrency.ts'
import type { FileGuard } from './file-guard.ts'
import { SlowFolder } from './file-thread.ts'
import {
  asyncFiles,
  type FileCalls,
  type FolderEntry,
  type FolderFacts,
  type FolderState,
  inspectFolder,
  isSlow,
  listFolders,
} from './inspect-folder.ts'

export interface SeenFolder {
  state: FolderState
  /** The path without links. */
  real?: string
  identity?: string
}

/** State of the user's folders. No call waits for a folder longer than the limit of the lanes. */
export interface FolderStates {
  /** Looks at the folder, unless it just did so. `waitMs`: answers `slow` if it takes longer. */
  check(folder: string, waitMs?: number): Promise<SeenFolder>
  /** Looks at the folder now. */
  recheck(folder: string): Promise<SeenFolder>
  /** False while the folder does not answer. Code that reads files synchronously must not touch it then. */
  responds(folder: string): boolean
  close(): void
}

/** Ignored for a mount that can hang, because code reads its files synchronously after this check. */
const freshMs = 250
/** Folders in use are looked at this often, so that one that begins to hang is known before it is read. */
const watchEveryMs = 1000
const watchForMs = 30_000
const maxKnown = 2000

interface Known extends SeenFolder {
  at: number
  usedAt: number
}

export function createFolderStates(
  lanes: Pick<FolderLanes, 'inspect'>,
  {
    now = Date.now,
    mounts = new Set(),
    hanging = new Set(),
  }: { now?: () => number } & Partial<Pick<FileGuard, 'mounts' | 'hanging'>> = {},
): FolderStates {
  const known = new Map<string, Known>()
  const looking = new Map<string, Promise<SeenFolder>>()
  let timer: NodeJS.Timeout | undefined

  return {
    async check(folder, waitMs) {
      const seen = known.get(folder)
      if (seen !== undefined) seen.usedAt = now()
      watch()
      if (seen !== undefined && now() - seen.at < freshMs && !isIn(mounts, folder)) return seen
      const found = look(folder)
      if (waitMs === undefined) return found
      const { value, isLate } = await withinTime(found, waitMs)
      return isLate ? { state: 'slow' } : value
    },
    recheck: (folder) => look(folder),
    responds(folder) {
      if (isIn(hanging, folder)) return false
      for (let at = path.resolve(folder); ; at = path.dirname(at)) {
        if (known.get(at)?.state === 'slow') return false
        if (at === path.dirname(at)) return true
      }
    },
    close: () => clearInterval(timer),
  }

  /** Requests for the same folder share one look. */
  function look(folder: string): Promise<SeenFolder> {
    const running = looking.get(folder)
    if (running !== undefined) return running
    const started = inspect(folder).finally(() => looking.delete(folder))
    looking.set(folder, started)
    return started
  }

  async function inspect(folder: string): Promise<SeenFolder> {
    const before = known.get(folder)
    let seen: SeenFolder
    try {
      seen = await lanes.inspect(folder)
    } catch (error) {
      if (!isSlow(error)) throw error
      seen = { state: 'slow', real: before?.real, identity: before?.identity }
    }
    if (known.size >= maxKnown) known.delete(known.keys().next().value as string)
    known.set(folder, { ...seen, at: now(), usedAt: before?.usedAt ?? now() })
    return seen
  }

  function watch(): void {
    if (timer !== undefined) return
    timer = setInterval(() => {
      const used = [...known].filter(([, { usedAt }]) => now() - usedAt < watchForMs)
      for (const [folder] of used) look(folder).catch(() => undefined)
      if (used.length > 0) return
      clearInterval(timer)
      timer = undefined
    }, watchEveryMs).unref()
  }
}

function isIn(folders: ReadonlySet<string>, file: string): boolean {
  if (folders.size === 0) return false
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    if (folders.has(at)) return true
    if (at === path.dirname(at)) return false
  }
}

/** Reads files of a folder. Returns the previous value if the folder hangs, even if it starts to hang during the read. */
export function readResponding<T>(responds: () => boolean, read: () => T, last: () => T): T {
  if (!responds()) return last()
  try {
    const value = read()
    if (responds()) return value
  } catch (error) {
    if (!isSlow(error)) throw error
  }
  return last()
}

export type FolderTask = { inspect: string } | { list: { folder: string; prefix: string; most: number } }
type Answer = FolderFacts | { entries: FolderEntry[]; isCut: boolean }

/**
 * Inspects folders without letting one that hangs block the others. A hanging call keeps its thread for as long as it
 * hangs, and the process has only a few of them: at most two of those are used here, and further calls get threads of
 * their own. A mount that hangs takes one lane, no matter how many of its folders are requested.
 */
export interface FolderLanes {
  inspect(folder: string): Promise<FolderFacts>
  list(task: { folder: string; prefix: string; most: number }): Promise<{ entries: FolderEntry[]; isCut: boolean }>
  close(): Promise<void>
}

interface Lane {
  run(task: FolderTask): Promise<Answer>
  close(): unknown
  /** The mount it works on. */
  busy?: string
}

const poolLanes = 2
const maxLanes = 6
/** A lane that is busy for longer makes room for another one. */
const patienceMs = 100

export interface FolderLanesOptions {
  files?: FileCalls
  limitMs?: number
  mountOf?: (folder: string) => string
  /** Gets the mounts that can hang, if there are any. */
  guard?: Pick<FileGuard, 'update'>
}

export function createFolderLanes({
  files = asyncFiles,
  limitMs = 3000,
  guard,
  mountOf = (folder) => findMount(folder, guard),
}: FolderLanesOptions = {}): FolderLanes {
  const lanes: Lane[] = Array.from({ length: poolLanes }, () => ({
    run: (task) => ('inspect' in task ? inspectFolder(files, task.inspect) : listFolders(files, task.list)),
    close: () => undefined,
  }))
  const waiting: (() => void)[] = []
  /** Mounts with a call that passed the limit. */
  const hanging = new Set<string>()

  return {
    inspect: async (folder) => (await run({ inspect: folder }, folder)) as FolderFacts,
    list: async (task) => (await run({ list: task }, task.folder)) as { entries: FolderEntry[]; isCut: boolean },
    close: async () => void (await Promise.all(lanes.map((lane) => lane.close()))),
  }

  async function run(task: FolderTask, folder: string): Promise<Answer> {
    const mount = mountOf(folder)
    const until = Date.now() + limitMs
    const lane = await freeLane(mount, folder, until)
    const answer = lane.run(task).finally(() => {
      lane.busy = undefined
      wake()
    })
    const { value, isLate } = await withinTime(answer, Math.max(50, until - Date.now()))
    if (!isLate) return value
    hanging.add(mount)
    wake()
    const over = (): void => void hanging.delete(mount)
    answer.then(over, over)
    throw new SlowFolder(folder)
  }

  /** Throws `SlowFolder` at the limit, or once the mount is known to hang. */
  async function freeLane(mount: string, folder: string, until: number): Promise<Lane> {
    for (;;) {
      if (hanging.has(mount) || Date.now() >= until) throw new SlowFolder(folder)
      const isBusy = lanes.some(({ busy }) => busy === mount)
      const free = isBusy ? undefined : lanes.find(({ busy }) => busy === undefined)
      if (free !== undefined) {
        free.busy = mount
        return free
      }
      const isWoken = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), patienceMs)
        waiting.push(() => {
          clearTimeout(timer)
          resolve(true)
        })
      })
      const isFull = lanes.every(({ busy }) => busy !== undefined)
      if (!isWoken && !isBusy && isFull && lanes.length < maxLanes) lanes.push(workerLane())
    }
  }

  function wake(): void {
    for (const one of waiting.splice(0)) one()
  }

  /** A separate thread. It ends with the process, even while it hangs. */
  function workerLane(): Lane {
    const worker = new Worker(new URL('./folder-worker.ts', import.meta.url), { env: {} })
    worker.unref()
    return {
      close: () => worker.terminate(),
      run: (task) =>
        new Promise((resolve, reject) => {
          worker.once('message', ({ value, error }: { value?: Answer; error?: string }) =>
            value === undefined ? reject(Object.assign(new Error(error), { code: error })) : resolve(value),
          )
          worker.postMessage(task)
        }),
    }
  }
}

/**
 * The mount point of a path. The kernel's list of them never waits for a file system. The root holds too much to be
 * given up as one, so there it is the folder itself.
 */
function findMount(folder: string, guard: FolderLanesOptions['guard']): string {
  const mounts = readMounts()
  const guarded = mounts.filter(({ type }) => !ownTypes.has(type)).map(({ point }) => point)
  if (guarded.length > 0) guard?.update(guarded)
  const points = new Set(mounts.map(({ point }) => point))
  for (let at = path.resolve(folder); at !== path.dirname(at); at = path.dirname(at)) if (points.has(at)) return at
  return folder
}

function readMounts(): { point: string; type: string }[] {
  try {
    const octal = (_: string, digits: string): string => String.fromCharCode(parseInt(digits, 8))
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n')
    return lines.map((line) => {
      const fields = line.split(' ')
      const type = fields[fields.indexOf('-') + 1] ?? ''
      return { point: (fields[4] ?? '').replace(/\\(\d{3})/g, octal), type }
    })
  } catch {
    return []
  }
}

/** File systems that the kernel serves alone, from the disks or the memory of this machine. All others can hang. */
const ownTypes = new Set(
  (
    'ext2 ext3 ext4 xfs btrfs zfs bcachefs f2fs jfs nilfs2 reiserfs tmpfs ramfs rootfs overlay aufs squashfs erofs ' +
    'iso9660 udf vfat msdos exfat ntfs ntfs3 hfs hfsplus ecryptfs proc sysfs devtmpfs devpts cgroup cgroup2 mqueue ' +
    'hugetlbfs debugfs tracefs securityfs selinuxfs pstore bpf configfs efivarfs binfmt_misc nsfs fusectl rpc_pipefs'
  ).split(' '),
)
