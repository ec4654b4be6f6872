import { open } from 'node:fs/promises'
import path from 'node:path'
import { NamedError, resolvePath, secretIn, type AgentState, type Session, type Store } from '@troupe/core'
import { z } from 'zod'
import { findSession } from '../find-session.ts'
import { isPrivateToHome } from '../is-in-home.ts'
import { route, type Route } from '../route.ts'

export interface SessionFileOptions {
  store: Store
  homePath: string
  /** What the agent of a session may look at. */
  stateOf(session: Session): Promise<FileRoots>
}

type FileRoots = Pick<AgentState, 'cwd' | 'roots' | 'readable' | 'jsxFolder'>

const maxFileBytes = 2 * 1024 * 1024
const images: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
}

/** Files that a person looks at beside the chat: those that the session's agent may read. */
export function sessionFileRoutes({ store, homePath, stateOf }: SessionFileOptions): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/sessions/:id/file',
      summary: 'A text file of the workspace or of the output of a session, its first 2 MiB; ?raw=1 gives an image.',
      linkable: true,
      query: z.object({
        path: z.string().max(4096).optional(),
        raw: z.literal('1').optional(),
        secret: z.literal('1').optional().describe('The person wants to see a file that holds secrets'),
      }),
      scoped: true,
      gives: ['json', 'bytes'],
      answers: {
        200: '{file: {path, kind: text | image | binary, bytes, text?, isCut?}}',
        400: 'BadRequest',
        403: 'SecretFile',
        404: 'SessionNotFound, FileNotFound',
      },
      async handle(c, { params, query, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const given = query['path'] ?? ''
        if (given === '') throw new NamedError('BadRequest', 'Name the file in "path".', { status: 400 })
        const state = await stateOf(session)
        const found = findFile(state, given, homePath)
        if (isSecret(found.path, state.roots) && query['secret'] !== '1')
          throw new NamedError('SecretFile', 'Keys or passwords may stand in this file, so it is not shown unasked.', {
            status: 403,
            data: { path: found.shown },
          })
        const { bytes, size } = await readStart(found.path)
        const type = images[path.extname(found.path).toLowerCase()]
        const file = { path: found.shown, bytes: size }
        if (query['raw'] === '1') {
          if (type === undefined) throw new NamedError('BadRequest', 'Only images are given raw.', { status: 400 })
          return c.body(new Uint8Array(bytes), 200, { 'content-type': type, 'content-disposition': 'inline' })
        }
        if (type !== undefined) return c.json({ file: { ...file, kind: 'image' } })
        if (bytes.subarray(0, 8000).includes(0)) return c.json({ file: { ...file, kind: 'binary' } })
        const text = new TextDecoder().decode(bytes)
        return c.json({ file: { ...file, kind: 'text', text, ...(size > bytes.length && { isCut: true }) } })
      },
    }),
  ]
}

/** As an agent would find it: from its working directory, else from the workspace. */
function findFile(state: FileRoots, given: string, homePath: string): ReturnType<typeof resolvePath> {
  for (const cwd of new Set([state.cwd, ...state.roots])) {
    const found = resolveWithin({ ...state, cwd }, given)
    if (found?.stats?.isFile() === true && !isPrivateToHome(found.path, homePath, [...state.roots, ...state.readable]))
      return found
  }
  throw new NamedError('FileNotFound', 'There is no such file in the workspace or in the output of the session.', {
    status: 404,
  })
}

/** What lies outside is as if it were not there. */
function resolveWithin(state: FileRoots, given: string): ReturnType<typeof resolvePath> | undefined {
  try {
    return resolvePath({ state }, given, { for: 'read' })
  } catch {
    return undefined
  }
}

function isSecret(real: string, roots: readonly string[]): boolean {
  const inside = roots.map((root) => path.relative(root, real)).find((relative) => !relative.startsWith('..'))
  return secretIn(inside ?? path.basename(real)) !== undefined
}

async function readStart(file: string): Promise<{ bytes: Buffer; size: number }> {
  await using handle = await open(file, 'r')
  const { size } = await handle.stat()
  const bytes = Buffer.alloc(Math.min(size, maxFileBytes))
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
  return { bytes: bytes.subarray(0, bytesRead), size }
}
