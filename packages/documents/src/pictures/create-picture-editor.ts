import { fork } from 'node:child_process'
import path from 'node:path'
import type { EditedPicture, PictureEditor, PictureRequest } from '@troupe/core'
import type { PictureResponse } from './picture-process.ts'

/** Edits each image in a separate process, because a damaged image can crash or stall the native library. */
export function createPictureEditor({ ms = 60_000, userOf }: PictureEditorOptions = {}): PictureEditor {
  return {
    edit: (request, signal) =>
      editInProcess(request, AbortSignal.any([signal, AbortSignal.timeout(ms)]), userOf && userFor(request, userOf)),
  }
}

interface PictureEditorOptions {
  ms?: number
  /** In team mode: the user that may read a file. The process runs as this user. */
  userOf?: ((file: string) => ReaderUser | undefined) | undefined
}

interface ReaderUser {
  uid: number
  gid: number
}

/** Undefined if one of the images is a file of the server, which that user cannot read. */
function userFor(
  { path: own, actions }: PictureRequest,
  userOf: (file: string) => ReaderUser | undefined,
): ReaderUser | undefined {
  const composed = actions.flatMap((action) => ('image' in action ? [action.image] : []))
  const users = [...(own === undefined ? [] : [own]), ...composed].map((file) => userOf(file))
  return users.every((user) => user?.uid === users[0]?.uid) ? users[0] : undefined
}

function editInProcess(
  request: PictureRequest,
  signal: AbortSignal,
  user: ReaderUser | undefined,
): Promise<EditedPicture> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const file = path.join(import.meta.dirname, `picture-process${path.extname(import.meta.filename)}`)
    const child = fork(file, {
      ...(user !== undefined && { uid: user.uid, gid: user.gid, cwd: '/' }),
      env: {},
      // The process reads images and writes nothing.
      execArgv: [
        '--permission',
        '--allow-fs-read=*',
        '--allow-addons',
        '--disable-warning=SecurityWarning',
        '--disable-warning=ExperimentalWarning',
        '--conditions=troupe-source',
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', stop)
      child.kill('SIGKILL')
      reject(error)
    }
    const stop = (): void =>
      fail(
        (signal.reason as Error).name === 'TimeoutError'
          ? new Error('Editing the image took too long and was stopped. Use a smaller image or fewer steps.')
          : (signal.reason as Error),
      )
    signal.addEventListener('abort', stop, { once: true })
    child.once('error', fail)
    child.once('exit', () => fail(new Error('The image could not be edited. The file may be damaged.')))
    child.once('message', (response) => {
      const { picture, error } = response as PictureResponse
      signal.removeEventListener('abort', stop)
      if (picture === undefined) reject(new Error(error ?? 'The image could not be edited.'))
      else resolve(picture)
    })
    child.send(request)
  })
}
