import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { say } from './run.mjs'

/** Runs `work` while holding a lock folder. Takes over a lock whose process is gone. */
export async function withLock(folder, work) {
  mkdirSync(path.dirname(folder), { recursive: true })
  let told = false
  while (!take(folder)) {
    if (!told) say('another set-up is under way, waiting for it')
    told = true
    await delay(200)
  }
  try {
    return await work()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function take(folder) {
  try {
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'pid'), String(process.pid))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holder = readHolder(folder)
  if (holder === undefined || isAlive(holder)) return false
  // Renaming is atomic: if several find a dead holder, only one moves the folder away. If the folder turns out to be a
  // fresh lock, it is put back.
  const aside = `${folder}.${process.pid}`
  try {
    renameSync(folder, aside)
    if (readHolder(aside) === holder) rmSync(aside, { recursive: true, force: true })
    else renameSync(aside, folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
  }
  return false
}

/** Returns the holder's pid; 0 if it died before writing it; undefined if it may still write it. */
function readHolder(folder) {
  try {
    const pid = Number(readFileSync(path.join(folder, 'pid'), 'utf8'))
    if (pid > 0) return pid
    return Date.now() - statSync(folder).mtimeMs > 5000 ? 0 : undefined
  } catch {
    try {
      return Date.now() - statSync(folder).mtimeMs > 5000 ? 0 : undefined
    } catch {
      return undefined
    }
  }
}

function isAlive(pid) {
  if (pid === 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
