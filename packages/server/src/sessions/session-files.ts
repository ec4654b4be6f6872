import { realpathSync } from 'node:fs'
import { open, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { secretIn } from '@troupe/command-policy'
import {
  type AgentState,
  checkJsx,
  isJsxFile,
  jsxProblemText,
  previewKinds,
  resolvePath,
  type Session,
  type Store,
  type Workspace,
} from '@troupe/core'
import { type FilePreview, NamedError, sessionFileEndpoints } from '@troupe/protocol'
import type { Home } from '../config/home.ts'
import { pictureTypes } from '../files/file-content.ts'
import { isPrivateToHome, isSecret } from '../files/workspace-path.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'

interface SessionFileOptions {
  store: Store
  home: Pick<Home, 'path'>
  states: { of(session: Session, workspace: Workspace): FileRoots }
  workspaces: { of(session: Session): Promise<Workspace> }
}

type FileRoots = Pick<AgentState, 'cwd' | 'roots' | 'readable' | 'jsxFolder'>

const maxFileBytes = 2 * 1024 * 1024

const kinds: Record<string, FilePreview['kind']> = { ...previewKinds, '.xlsx': 'xlsx', '.jsx': 'jsx' }

const maxPreviewBytes = 5 * 1024 * 1024

/**
 * Routes for files shown next to the chat, limited to those the session's agent may read, and for previews of files that
 * are in the session's workspace or that the session created.
 */
export function sessionFileRoutes({ store, home, states, workspaces }: SessionFileOptions): Route[] {
  const stateOf = async (session: Session): Promise<FileRoots> => states.of(session, await workspaces.of(session))
  return implement(sessionFileEndpoints, {
    'GET /ai/sessions/:id/file': async ({ params, query: { path: given = '', raw, secret }, workspaceId }, c) => {
      const session = await findSession(store, params.id, workspaceId)
      if (given === '') throw new NamedError('BadRequest', 'Give the file in "path".', { status: 400 })
      const state = await stateOf(session)
      const found = findFile(state, given, home.path)
      if (isSecret(found.path, state.roots) && secret !== '1')
        throw new NamedError(
          'SecretFile',
          'This file may contain keys or passwords, so it is not shown automatically.',
          {
            status: 403,
            data: { path: found.shown },
          },
        )
      const { bytes, size } = await readStart(found.path)
      const type = pictureTypes[path.extname(found.path).toLowerCase()]
      const file = { path: found.shown, bytes: size }
      if (raw === '1') {
        if (type === undefined) throw new NamedError('BadRequest', 'Only images can be requested raw.', { status: 400 })
        return c.body(new Uint8Array(bytes), 200, { 'content-type': type, 'content-disposition': 'inline' })
      }
      if (type !== undefined) return { file: { ...file, kind: 'image' as const } }
      if (bytes.subarray(0, 8000).includes(0)) return { file: { ...file, kind: 'binary' as const } }
      const text = new TextDecoder().decode(bytes)
      return { file: { ...file, kind: 'text' as const, text, isCut: size > bytes.length || undefined } }
    },
    'GET /ai/sessions/:id/preview': async ({ params, query: { path: given = '' }, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      const place = await placeOf(session)
      const { real, shown, size } = findPreview(given, place, home.path)
      const kind = kinds[path.extname(real).toLowerCase()]
      if (kind === undefined || (kind === 'jsx' && !isJsxFile(real, place)))
        throw new NamedError('NoPreview', 'This file type has no preview.', { status: 415 })
      if (size > maxPreviewBytes)
        throw new NamedError('FileTooLarge', 'The file is too large to preview. The limit is 5 MiB.', {
          status: 413,
          data: { size, limit: maxPreviewBytes },
        })
      const bytes = await readFile(real)
      if (kind === 'xlsx') return { preview: { path: shown, kind, size, base64: bytes.toString('base64') } }
      const text = bytes.toString('utf8')
      if (kind === 'jsx') await refuseInvalid(text, shown)
      return { preview: { path: shown, kind, size, text } }
    },
  })

  async function placeOf(session: Session): Promise<PreviewRoots> {
    const workspace = await store.workspaces.get(session.workspaceId)
    const cwd = await realpath(workspace?.path ?? home.path)
    const own = path.join(await realpath(home.path), 'sessions', session.id)
    const jsxFolder = path.join(own, 'jsx')
    return { cwd, roots: [cwd], readable: [path.join(own, 'output'), jsxFolder], jsxFolder }
  }
}

/** Resolves like an agent: from its working directory, then from the workspace. */
function findFile(state: FileRoots, given: string, homePath: string): ReturnType<typeof resolvePath> {
  for (const cwd of new Set([state.cwd, ...state.roots])) {
    const found = resolveWithin({ ...state, cwd }, given)
    if (
      found?.stats?.isFile() === true &&
      !isPrivateToHome(found.path, realpathSync(homePath), [...state.roots, ...state.readable])
    )
      return found
  }
  throw new NamedError('FileNotFound', 'This file does not exist in the workspace or the output of this chat.', {
    status: 404,
  })
}

/** Treats paths outside as missing. */
function resolveWithin(state: FileRoots, given: string): ReturnType<typeof resolvePath> | undefined {
  try {
    return resolvePath({ state }, given, { for: 'read' })
  } catch {
    return undefined
  }
}

async function readStart(file: string): Promise<{ bytes: Buffer; size: number }> {
  await using handle = await open(file, 'r')
  const { size } = await handle.stat()
  const bytes = Buffer.alloc(Math.min(size, maxFileBytes))
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
  return { bytes: bytes.subarray(0, bytesRead), size }
}

interface PreviewRoots {
  cwd: string
  roots: string[]
  readable: string[]
  jsxFolder: string
}

function findPreview(
  given: string,
  place: PreviewRoots,
  homePath: string,
): { real: string; shown: string; size: number } {
  const found = resolvePreview(given, place)
  const { path: real, shown, stats } = found
  if (stats?.isFile() !== true)
    throw new NamedError('FileNotFound', 'This file no longer exists.', { status: 404, data: { path: given } })
  const inside = path.relative(place.cwd, real)
  const isOurs = isPrivateToHome(real, realpathSync(homePath), [...place.roots, ...place.readable])
  if (isOurs || secretIn(inside.startsWith('..') ? path.basename(real) : inside) !== undefined)
    throw new NamedError('SecretFile', 'Files like this contain keys and passwords, so they are not shown.', {
      status: 403,
    })
  return { real, shown, size: stats.size }
}

function resolvePreview(given: string, place: PreviewRoots): ReturnType<typeof resolvePath> {
  try {
    return resolvePath({ state: place }, given, { for: 'read' })
  } catch (error) {
    // The original message would reveal paths outside the workspace.
    throw new NamedError('OutsideWorkspace', 'Only files in the workspace and in this chat can be shown.', {
      status: 403,
      data: {},
      cause: error,
    })
  }
}

async function refuseInvalid(text: string, shown: string): Promise<void> {
  const { problem } = await checkJsx(text)
  if (problem === undefined) return
  throw new NamedError('InvalidPreview', `The preview is invalid, ${jsxProblemText(problem)}`, {
    status: 422,
    data: { path: shown, ...problem },
  })
}
