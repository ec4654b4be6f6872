import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'

const memory = '/dev/shm'
const named = /^troupe-tests-(\d+)-/

/**
 * A new folder in memory, where there is room for what the tests write: on a disk every commit of a database waits, and
 * so does whoever else makes files meanwhile. Undefined where there is no such room, in most containers for instance.
 * What a run left there that was interrupted is removed.
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
