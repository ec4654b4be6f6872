import type { Buffer } from 'node:buffer'
import { closeSync, fdatasync, fsync, lstatSync, mkdirSync, openSync, renameSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { writeAll } from './replace-file.ts'
import { sha256Of } from './snapshot.ts'

/** Contents that are being stored, and those that no index names yet, with how many wait for that; by their paths. */
const pendingStores = new Map<string, Promise<void>>()
const pinnedObjects = new Map<string, number>()

/** Keeps a sweep away from a content until `release`. */
export function pinObject(object: string): void {
  pinnedObjects.set(object, (pinnedObjects.get(object) ?? 0) + 1)
}

export function unpinObject(object: string): void {
  const count = pinnedObjects.get(object) ?? 1
  if (count === 1) pinnedObjects.delete(object)
  else pinnedObjects.set(object, count - 1)
}

export function isObjectPinned(object: string): boolean {
  return pinnedObjects.has(object)
}

/** Writes a content that is not there yet; durable when it resolves. */
export function saveObject(object: string, bytes: Uint8Array): Promise<void> {
  const stored = pendingStores.get(object) ?? writeObject(object, bytes).finally(() => pendingStores.delete(object))
  pendingStores.set(object, stored)
  return stored
}

async function writeObject(file: string, bytes: Uint8Array): Promise<void> {
  if (lstatSync(file, { throwIfNoEntry: false })?.size === bytes.length) return
  const folder = path.dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.tmp`
  const fd = openSync(temporary, 'w', 0o600)
  try {
    await writeAll(fd, [bytes])
    await promisify(fdatasync)(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, file)
  await syncFolder(folder)
}

async function syncFolder(folder: string): Promise<void> {
  const fd = openSync(folder, 'r')
  try {
    await promisify(fsync)(fd)
  } finally {
    closeSync(fd)
  }
}

/** Undefined when it is gone or no longer what it was stored as. */
export async function readObject(file: string, sha256: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readFile(file)
    return sha256Of(bytes) === sha256 ? bytes : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
