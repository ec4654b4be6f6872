import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, link, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises'
import path from 'node:path'

/** New content beside the file that it will replace: one rename and it is there, whole. */
export interface Prepared {
  /** Puts it in place. `isNew`: nothing may have appeared there meanwhile. */
  commit(options: { isNew: boolean }): Promise<void>
  /** Takes it away again, with the folders that were made for it. */
  discard(): Promise<void>
}

export interface PrepareOptions {
  /** Permissions and owner of the file that is replaced. */
  like?: { mode: bigint | number; uid: bigint | number; gid: bigint | number } | undefined
  sync?: boolean
}

/** Writes a temporary file in the same folder, which is made when missing. Leaves nothing behind when it fails. */
export async function prepareFile(
  target: string,
  pieces: readonly Uint8Array[],
  { like, sync = false }: PrepareOptions = {},
): Promise<Prepared> {
  const folder = path.dirname(target)
  const firstMade = await mkdir(folder, { recursive: true })
  const temporary = path.join(folder, `.troupe-${randomBytes(9).toString('base64url')}.tmp`)
  const discard = async (): Promise<void> => {
    await unlink(temporary).catch(ignoreMissing)
    if (firstMade !== undefined) await removeEmpty(folder, firstMade)
  }
  try {
    const file = await open(temporary, 'wx', 0o666)
    try {
      for (const piece of pieces) await writeAll(file, piece)
      if (like !== undefined) await dress(file, like)
      if (sync) await file.datasync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await discard()
    throw error
  }
  return {
    discard,
    async commit({ isNew }) {
      if (!isNew) return rename(temporary, target)
      try {
        await link(temporary, target)
      } catch (error) {
        if (!noLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error
        if (existsSync(target)) throw Object.assign(new Error('file exists', { cause: error }), { code: 'EEXIST' })
        return rename(temporary, target)
      }
      return unlink(temporary)
    },
  }
}

/** What file systems without hard links answer. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** The text of a failed write, for the model. */
export function writeFailure(error: unknown, shown: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return error as Error
  const reason =
    {
      ENOSPC: 'the disk is full. Free some space, then try again',
      EDQUOT: 'the disk quota is used up. Free some space, then try again',
      EFBIG: 'it would be longer than files may be here',
      EROFS: 'its file system is read-only',
      EACCES: 'permission denied. Ask the person to change the permissions of the file or its folder',
      EPERM: 'the system does not permit it',
      ENAMETOOLONG: 'its name is too long',
      ENOTDIR: 'a part of its path is a file, not a folder',
      EISDIR: 'it is a folder',
      EEXIST: 'another file has appeared there meanwhile. Read it first',
    }[code] ?? message
  return new Error(`"${shown}" was not written: ${reason}. Nothing was changed.`, { cause: error })
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten
}

async function dress(file: FileHandle, like: NonNullable<PrepareOptions['like']>): Promise<void> {
  const stats = await file.stat()
  const [uid, gid] = [Number(like.uid), Number(like.gid)]
  // Only root can give a file to somebody else; for others it stays their own.
  if (stats.uid !== uid || stats.gid !== gid) await file.chown(uid, gid).catch(() => undefined)
  await file.chmod(Number(like.mode) & 0o7777)
}

async function removeEmpty(folder: string, top: string): Promise<void> {
  for (let each = folder; ; each = path.dirname(each)) {
    try {
      await rmdir(each)
    } catch {
      return
    }
    if (each === top) return
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
