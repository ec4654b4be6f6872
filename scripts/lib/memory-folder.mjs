import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'

const memory = '/dev/shm'
const named = /^troupe-tests-(\d+)-/

/**
 * Creates a folder in memory with enough room for the tests. On a disk every database commit blocks, and so do other
 * processes that create files. Returns undefined without enough room, as in most containers. Removes folders left by
 * interrupted runs.
 */
export function memoryFolder(roomBytes = 4 * 2 ** 30) {
  try {
    for (const name of readdirSync(memory))
      if (named.test(name) && !isAlive(Number(named.exec(name)[1])))
        rmSync(path.join(memory, name), { recursive: true, force: true })
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize < roomBytes ? undefined : mkdtempSync(path.join(memory, `troupe-tests-${process.pid}-`))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
