import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sendSignalTo } from '../process/processes.ts'
import type { ResourceLimits } from '../tool/isolation.ts'

/** Control groups of the kernel, which limit all processes of a group together. */
export interface ControlGroups {
  /** Limits of the kernel that apply, such as `memory`. */
  readonly controllers: readonly Controller[]
  /** Opens a group inside the person's group, which has the limits `total`. */
  open(person: string, limits: ResourceLimits, total: ResourceLimits): ProcessGroup
  close(): void
}

export interface ProcessGroup {
  /** A process joins by writing its id to `cgroup.procs` in each of these folders. */
  readonly folders: readonly string[]
  usage(): GroupUsage
  /** Kills all its processes. */
  kill(): void
  remove(): void
}

export interface GroupUsage {
  /** Processes that the kernel killed for lack of memory. */
  outOfMemory: number
  /** Processes that the kernel refused to start. */
  refusedStarts: number
  cpuSeconds: number
}

const allControllers = ['memory', 'pids', 'cpu', 'cpuacct'] as const
type Controller = (typeof allControllers)[number]

interface FindOptions {
  /** Name of our group. Two servers on one machine must not share it. */
  name: string
  /** For tests: content of `/proc/self/mounts` and `/proc/self/cgroup`. */
  mounts?: string
  own?: string
}

/** Returns undefined if memory and processes cannot be limited here, because nothing is delegated to this user. */
export function findControlGroups({ name, ...given }: FindOptions): ControlGroups | undefined {
  try {
    const mounts = parseMounts(given.mounts ?? readFileSync('/proc/self/mounts', 'latin1'))
    const own = parseOwnGroups(given.own ?? readFileSync('/proc/self/cgroup', 'latin1'))
    return openVersion2(mounts, own, name) ?? openVersion1(mounts, own, name)
  } catch {
    // The kernel denies access or has no control groups.
    return undefined
  }
}

/** Controllers that `findControlGroups` could use. Empty without memory and processes. Changes nothing. */
export function offeredControllers(): readonly string[] {
  try {
    const mounts = parseMounts(readFileSync('/proc/self/mounts', 'latin1'))
    const own = parseOwnGroups(readFileSync('/proc/self/cgroup', 'latin1'))
    const found = new Set(mounts.flatMap((mounted) => usable(mounted, own)))
    return found.has('memory') && found.has('pids') ? [...found] : []
  } catch {
    return []
  }
}

function usable({ folder, version, controllers }: MountedGroups, own: Map<string, string>): Controller[] {
  const base = path.join(folder, version === 2 ? (own.get('') ?? '/') : '/')
  const offered = version === 2 ? readText(path.join(base, 'cgroup.controllers')).split(/\s+/) : controllers
  return isWritable(base) ? allControllers.filter((one) => offered.includes(one)) : []
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

interface MountedGroups {
  folder: string
  version: 1 | 2
  controllers: readonly string[]
}

function parseMounts(text: string): MountedGroups[] {
  return text.split('\n').flatMap((line): MountedGroups[] => {
    const [, folder = '', type, options = ''] = line.split(' ')
    if (type === 'cgroup2') return [{ folder, version: 2, controllers: [] }]
    return type === 'cgroup' ? [{ folder, version: 1, controllers: options.split(',') }] : []
  })
}

/** Path of our own group by controller. The empty name is version 2. */
function parseOwnGroups(text: string): Map<string, string> {
  const own = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, names, place] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    for (const one of names?.split(',') ?? []) own.set(one, place ?? '/')
  }
  return own
}

/** One tree for all controllers. Only a group without processes can have groups with limits. */
function openVersion2(mounts: MountedGroups[], own: Map<string, string>, name: string): ControlGroups | undefined {
  const mounted = mounts.find(({ version }) => version === 2)
  if (mounted === undefined) return undefined
  const base = path.join(mounted.folder, own.get('') ?? '/')
  const offered = readText(path.join(base, 'cgroup.controllers')).split(/\s+/)
  if (!offered.includes('memory') || !offered.includes('pids')) return undefined
  const controllers = allControllers.filter((one) => offered.includes(one))
  const server = path.join(base, `${name}-server`)
  mkdirSync(server, { recursive: true })
  for (const pid of readText(path.join(base, 'cgroup.procs')).split('\n'))
    if (pid !== '') writeFileSync(path.join(server, 'cgroup.procs'), pid)
  const enabled = controllers.map((one) => `+${one}`).join(' ')
  const top = path.join(base, name)
  writeFileSync(path.join(base, 'cgroup.subtree_control'), enabled)
  makeGroup(top)
  writeFileSync(path.join(top, 'cgroup.subtree_control'), enabled)
  return createGroups([{ top, controllers, version: 2 }], enabled)
}

/** Version 1: each controller has a tree, and some share one. */
function openVersion1(mounts: MountedGroups[], own: Map<string, string>, name: string): ControlGroups | undefined {
  const trees = mounts.flatMap(({ folder, controllers: all, version }) => {
    const controllers = allControllers.filter((one) => version === 1 && all.includes(one))
    const [first] = controllers
    if (first === undefined) return []
    // In a container the path can be one of the machine, which does not exist here.
    const nested = path.join(folder, own.get(first) ?? '/')
    const top = path.join(isGroup(nested) ? nested : folder, name)
    return makeGroup(top) ? [{ top, controllers, version: 1 as const }] : []
  })
  const found = trees.flatMap(({ controllers }) => controllers)
  return found.includes('memory') && found.includes('pids') ? createGroups(trees) : undefined
}

interface Tree {
  top: string
  controllers: readonly Controller[]
  version: 1 | 2
}

function createGroups(trees: readonly Tree[], enabled?: string): ControlGroups {
  const people = new Set<string>()
  let last = 0
  for (const { top } of trees) removeLeftovers(top)
  return {
    controllers: trees.flatMap(({ controllers }) => controllers),
    open(person, limits, total) {
      if (!people.has(person)) {
        for (const tree of trees) {
          const folder = path.join(tree.top, person)
          makeGroup(folder)
          limit(tree, folder, total)
          if (enabled !== undefined) writeFileSync(path.join(folder, 'cgroup.subtree_control'), enabled)
        }
        people.add(person)
      }
      const number = String(++last)
      const made = trees.map((tree) => {
        const folder = path.join(tree.top, person, number)
        makeGroup(folder)
        limit(tree, folder, limits)
        return { ...tree, folder }
      })
      return createGroup(made)
    },
    close() {
      for (const { top } of trees) {
        removeLeftovers(top)
        removeGroup(top)
      }
    },
  }
}

function createGroup(made: readonly (Tree & { folder: string })[]): ProcessGroup {
  const find = (name: Controller) => made.find(({ controllers }) => controllers.includes(name))
  const [memory, pids, cpu, account] = (['memory', 'pids', 'cpu', 'cpuacct'] as const).map(find)
  const folders = made.map(({ folder }) => folder)
  const group: ProcessGroup = {
    folders,
    usage() {
      const isNew = memory?.version === 2
      const events = readText(path.join(memory?.folder ?? '', isNew ? 'memory.events' : 'memory.oom_control'))
      const time = isNew
        ? numberAfter('usage_usec', readText(path.join(cpu?.folder ?? '', 'cpu.stat'))) / 1e6
        : Number(readText(path.join(account?.folder ?? '', 'cpuacct.usage'))) / 1e9
      return {
        outOfMemory: numberAfter('oom_kill', events),
        refusedStarts: numberAfter('max', readText(path.join(pids?.folder ?? '', 'pids.events'))),
        cpuSeconds: time,
      }
    },
    kill() {
      if (memory?.version === 2 && write(path.join(memory.folder, 'cgroup.kill'), '1')) return
      for (const { folder } of made)
        for (const pid of readText(path.join(folder, 'cgroup.procs')).split('\n'))
          if (pid !== '') sendSignalTo(Number(pid), 'SIGKILL')
    },
    remove: () => void folders.map((folder) => removeGroup(folder)),
  }
  return group
}

const periodUs = 100_000

function limit({ controllers, version }: Tree, folder: string, limits: ResourceLimits): void {
  const bytes = String(limits.memoryMb * 2 ** 20)
  const quota = String(Math.max(1000, Math.round(limits.cpus * periodUs)))
  const set = (name: string, value: string): void => writeFileSync(path.join(folder, name), value)
  if (controllers.includes('memory')) {
    if (version === 2) {
      set('memory.max', bytes)
      // Absent without swap.
      write(path.join(folder, 'memory.swap.max'), '0')
      write(path.join(folder, 'memory.oom.group'), '0')
    } else {
      set('memory.limit_in_bytes', bytes)
      write(path.join(folder, 'memory.memsw.limit_in_bytes'), bytes)
    }
  }
  if (controllers.includes('pids')) set('pids.max', String(limits.processes))
  if (!controllers.includes('cpu')) return
  // A kernel may be built without quotas. Shares of the processor then remain equal per group.
  if (version === 2) write(path.join(folder, 'cpu.max'), `${quota} ${periodUs}`)
  else write(path.join(folder, 'cpu.cfs_quota_us'), quota)
}

function isGroup(folder: string): boolean {
  return readText(path.join(folder, 'cgroup.procs')) !== '' || readText(path.join(folder, 'tasks')) !== ''
}

/** Returns false if the kernel refuses. */
function makeGroup(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  }
}

const removalMs = [10, 50, 250, 1000]

/** A group can be removed when its last process is reaped, which takes a moment. */
function removeGroup(folder: string, waits: readonly number[] = removalMs): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const [wait, ...rest] = waits
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || wait === undefined) return
    setTimeout(() => removeGroup(folder, rest), wait).unref()
  }
}

/** Groups of a process that was killed. Those with processes stay. */
function removeLeftovers(folder: string): void {
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    removeLeftovers(path.join(folder, name))
    removeGroup(path.join(folder, name), [])
  }
}

function numberAfter(name: string, text: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text)
    return true
  } catch {
    return false
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
