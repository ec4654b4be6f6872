import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { withinTime } from '../util/concurrency.ts'
import {
  asyncFiles,
  type FileCalls,
  type FolderEntry,
  type FolderFacts,
  inspectFolder,
  listFolders,
} from './inspect-folder.ts'

export type FolderTask = { inspect: string } | { list: { folder: string; prefix: string; most: number } }
type Answer = FolderFacts | { entries: FolderEntry[]; isCut: boolean }

/** The folder did not answer in time. */
export class SlowFolder extends Error {}

/**
 * Looks at folders, so that one that hangs holds up nobody else. A hanging call keeps its thread for as long as it
 * hangs, and the process has only a few of them: at most two of those are used here, and further calls get threads of
 * their own. A mount that hangs takes one lane, whatever number of its folders is asked about.
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

export function createFolderLanes({
  files = asyncFiles,
  limitMs = 3000,
  mountOf = findMount,
}: { files?: FileCalls; limitMs?: number; mountOf?: (folder: string) => string } = {}): FolderLanes {
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
    const lane = await freeLane(mount, until)
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
    throw new SlowFolder()
  }

  /** Throws `SlowFolder` at the limit, or once the mount is known to hang. */
  async function freeLane(mount: string, until: number): Promise<Lane> {
    for (;;) {
      if (hanging.has(mount) || Date.now() >= until) throw new SlowFolder()
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

  /** A thread of its own. It ends with the process, even while it hangs. */
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

/** The mount point of a path. The kernel's list of them never waits for a file system. */
function findMount(folder: string): string {
  const points = mountPoints()
  let mount = folder
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (points.has(at)) {
      mount = at
      break
    }
    if (at === path.dirname(at)) break
  }
  // The root holds too much to be given up as one.
  return mount === path.parse(mount).root ? folder : mount
}

function mountPoints(): Set<string> {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    const octal = (_: string, digits: string): string => String.fromCharCode(parseInt(digits, 8))
    return new Set(lines.map((line) => (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, octal)))
  } catch {
    return new Set()
  }
}
