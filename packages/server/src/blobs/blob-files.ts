import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobStore, cleanType, isSha256, unknownType } from './blob-store.ts'

/**
 * Stores blobs as files named by hash, each with a small file for the media type. Immutable: the first media type for
 * the same bytes wins.
 */
export function createBlobFiles(folder: string): BlobStore {
  async function readType(sha256: string): Promise<string> {
    return (await readIfThere(join(folder, `${sha256}.type`)))?.toString('utf8') ?? unknownType
  }

  async function sizeOf(sha256: string): Promise<number | undefined> {
    const found = isSha256(sha256) ? await stat(join(folder, sha256)).catch(() => undefined) : undefined
    return found?.isFile() === true ? found.size : undefined
  }

  async function writeType(sha256: string, mediaType: string): Promise<void> {
    await writeSynced(folder, [Buffer.from(cleanType(mediaType))], () => `${sha256}.type`)
  }

  return {
    async put(bytes, mediaType) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      if ((await sizeOf(sha256)) !== bytes.length) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        // Write the bytes last, so an existing blob always has a type.
        await writeType(sha256, mediaType)
        await writeSynced(folder, [bytes], () => sha256)
      }
      return { sha256, size: bytes.length, mediaType: await readType(sha256) }
    },

    async putStream(bytes, mediaType) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const hash = createHash('sha256')
      let size = 0
      let sha256 = ''
      async function* hashed(): AsyncGenerator<Uint8Array> {
        for await (const piece of bytes) {
          hash.update(piece)
          size += piece.length
          yield piece
        }
      }
      await writeSynced(folder, hashed(), async () => {
        sha256 = hash.digest('hex')
        if ((await sizeOf(sha256)) !== size) await writeType(sha256, mediaType)
        return sha256
      })
      return { sha256, size, mediaType: await readType(sha256) }
    },

    async get(sha256) {
      if (!isSha256(sha256)) return undefined
      const bytes = await readIfThere(join(folder, sha256))
      return bytes && { bytes, mediaType: await readType(sha256) }
    },

    async open(sha256) {
      const size = await sizeOf(sha256)
      if (size === undefined) return undefined
      const read = (range?: { start: number; end: number }) => createReadStream(join(folder, sha256), range)
      return { size, mediaType: await readType(sha256), read }
    },

    async fileOf(sha256) {
      return (await sizeOf(sha256)) === undefined ? undefined : join(folder, sha256)
    },

    async *list() {
      const names = await readdir(folder).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      })
      yield* names.filter(isSha256)
    },

    async remove(sha256) {
      if (!isSha256(sha256)) return false
      try {
        await unlink(join(folder, sha256))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw error
      }
      await rm(join(folder, `${sha256}.type`), { force: true })
      return true
    },
  }
}

/** Writes a file completely or not at all, even after a power failure. Gets its name at the end. */
async function writeSynced(
  folder: string,
  bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  name: () => string | Promise<string>,
): Promise<void> {
  const part = join(folder, `.${randomUUID()}.part`)
  try {
    const file = await open(part, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, join(folder, await name()))
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncFolder(folder)
}

/** Makes the new name durable. Windows cannot open folders and does not need this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
