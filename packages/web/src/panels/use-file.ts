import { useCallback, useEffect, useState } from 'react'
import { ApiError, toErrorInfo } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { pageAccess } from '../api/page-access.ts'
import type { FileInfo } from '../api/page-info.ts'
import { useSession } from '../chat/session-context.ts'
import { useWorkspace } from '../workspace.ts'

export interface FileSource {
  /** Of the workspace or of the session's output. */
  path: string
  /** Or an attachment. */
  url: string | undefined
}

export type ReadFile = (FileInfo & { image?: string }) | { problem: string; isSecret: boolean }

const largestText = 2 * 1024 * 1024

/** A file to look at; undefined until it has been read. `again` reads it anew. */
export function useFile({ path, url }: FileSource) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [shown, setShown] = useState<{ key: string; read: ReadFile }>()
  const key = `${path} ${url}`
  const load = useCallback(
    async (secret: boolean): Promise<ReadFile> => {
      try {
        if (url !== undefined) return await readBlob(api, url, path)
        const { file } = await api.file(sessionId, path, { secret })
        return file.kind === 'image' ? { ...file, image: pageAccess.link(api.imagePath(sessionId, path)) } : file
      } catch (error) {
        const isSecret = error instanceof ApiError && error.name === 'SecretFile'
        return { problem: toErrorInfo(error).message, isSecret }
      }
    },
    [api, sessionId, path, url],
  )
  useEffect(() => {
    void load(false).then((read) => setShown({ key, read }))
  }, [load, key])
  return {
    read: shown?.key === key ? shown.read : undefined,
    again: async ({ secret = false } = {}) => setShown({ key, read: await load(secret) }),
  }
}

/** Attachments lie under an address of our own; anything else is not read. */
async function readBlob(api: Api, url: string, name: string): Promise<ReadFile> {
  if (!/^\/ai\/blobs\/[0-9a-f]{64}$/.test(url)) throw new Error(name)
  const blob = await api.blob(url)
  const file = { path: name, bytes: blob.size }
  if (blob.type.startsWith('image/')) return { ...file, kind: 'image', image: pageAccess.link(url) }
  const start = new Uint8Array(await blob.slice(0, largestText).arrayBuffer())
  if (start.subarray(0, 8000).includes(0)) return { ...file, kind: 'binary' }
  return {
    ...file,
    kind: 'text',
    text: new TextDecoder().decode(start),
    ...(blob.size > largestText && { isCut: true }),
  }
}
