import { type Dirent, readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import path from 'node:path'
import type { ResourceLimits } from '../tool/isolation.ts'
import type { ProcessGroup } from './control-groups.ts'

export interface LimitWatch {
  /** Sentence for the model and the person once a limit has ended the processes. */
  reason(): string | undefined
  /** Checks once more, because the kernel may have acted since the last check. */
  end(): void
}

interface WatchOptions {
  group: ProcessGroup
  limits: ResourceLimits
  /** Folders on disk that the processes may write. */
  writable: readonly string[]
  everyMs?: number
}

const lookMs = 200
/** Scanning a folder is slow, so it happens only while the disk fills up. */
const measureMs = 1000
const mostEntries = 200_000

/** Ends the processes of a group when they exceed a limit. */
export function watchLimits({ group, limits, writable, everyMs = lookMs }: WatchOptions): LimitWatch {
  const startedAt = Date.now()
  const free = freeBytes(writable)
  const most = limits.diskMb * 2 ** 20
  let why: string | undefined
  let measured = 0
  let isMeasuring = false
  const timer = setInterval(look, everyMs).unref()
  return {
    reason: () => why,
    end() {
      clearInterval(timer)
      if (why === undefined) why = excess(group, limits)
    },
  }

  function look(): void {
    stop(excess(group, limits))
    if (why !== undefined || isMeasuring || performance.now() - measured < measureMs) return
    if (!freeBytes(writable).some((now, index) => (free[index] ?? 0) - now > most)) return
    isMeasuring = true
    void writtenBytes(writable, group, startedAt, most).then((bytes) => {
      measured = performance.now()
      isMeasuring = false
      if (bytes > most) stop(limitText('disk', limits))
    })
  }

  function stop(reason: string | undefined): void {
    if (reason === undefined) return
    why ??= reason
    // Processes may still start others. The next check ends those.
    group.kill()
  }
}

function excess(group: ProcessGroup, limits: ResourceLimits): string | undefined {
  const { outOfMemory, refusedStarts, cpuSeconds } = group.usage()
  if (outOfMemory > 0) return limitText('memory', limits)
  if (refusedStarts > 0) return limitText('processes', limits)
  return cpuSeconds > limits.seconds ? limitText('time', limits) : undefined
}

export function limitText(limit: 'memory' | 'processes' | 'time' | 'disk', limits: ResourceLimits): string {
  const used = {
    memory: `it used more than ${megabytes(limits.memoryMb)} of memory`,
    processes: `it started more than ${limits.processes} processes at once`,
    time: `it used more than ${limits.seconds} seconds of CPU time`,
    disk: `it wrote more than ${megabytes(limits.diskMb)} to disk`,
  }[limit]
  return `The command was stopped: ${used}. This is a limit of the server. Use less, or ask an administrator to raise it.`
}

function megabytes(count: number): string {
  return count >= 1024 ? `${Math.round((count / 1024) * 10) / 10} GB` : `${count} MB`
}

function freeBytes(folders: readonly string[]): number[] {
  return folders.map((folder) => {
    try {
      const { bavail, bsize } = statfsSync(folder)
      return bavail * bsize
    } catch {
      return 0
    }
  })
}

/** Disk space of files changed since then, including deleted ones that are still open. Stops at `most`. */
async function writtenBytes(
  folders: readonly string[],
  group: ProcessGroup,
  since: number,
  most: number,
): Promise<number> {
  let bytes = deletedBytes(group)
  let entries = 0
  const pending = [...folders]
  for (
    let folder = pending.pop();
    folder !== undefined && bytes <= most && entries < mostEntries;
    folder = pending.pop()
  )
    try {
      for await (const entry of (await opendir(folder)) as AsyncIterable<Dirent>) {
        entries++
        const file = path.join(folder, entry.name)
        if (entry.isDirectory()) pending.push(file)
        else if (entry.isFile()) {
          const found = await lstat(file).catch(() => undefined)
          if (found !== undefined && found.ctimeMs >= since) bytes += found.blocks * 512
        }
      }
    } catch {
      // It was removed in the meantime.
    }
  return bytes
}

function deletedBytes({ folders }: ProcessGroup): number {
  const seen = new Set<string>()
  let bytes = 0
  for (const pid of readLines(path.join(folders[0] ?? '', 'cgroup.procs'))) {
    const open = `/proc/${pid}/fd`
    for (const fd of listed(open)) {
      try {
        const link = path.join(open, fd)
        if (!readlinkSync(link).endsWith(' (deleted)')) continue
        const { dev, ino, blocks } = statSync(link)
        if (seen.has(`${dev}:${ino}`)) continue
        seen.add(`${dev}:${ino}`)
        bytes += blocks * 512
      } catch {
        // It was closed in the meantime.
      }
    }
  }
  return bytes
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
