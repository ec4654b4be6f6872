import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import {
  checkJsx,
  isJsxFile,
  jsxProblemText,
  NamedError,
  resolvePath,
  secretIn,
  type Session,
  type Store,
} from '@troupe/core'
import { z } from 'zod'
import { findSession } from '../find-session.ts'
import { isPrivateToHome } from '../is-in-home.ts'
import { route, type Route } from '../route.ts'

const kinds: Record<string, string> = {
  '.html': 'html',
  '.htm': 'html',
  '.svg': 'svg',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.xlsx': 'xlsx',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '.jsx': 'jsx',
}

const maxPreviewBytes = 5 * 1024 * 1024

/** Files as the page shows them: of the session's workspace, and what the session itself has made. */
export function previewRoutes(options: { store: Store; homePath: string }): Route[] {
  const { store, homePath } = options
  return [
    route({
      method: 'GET',
      path: '/ai/sessions/:id/preview',
      summary: 'A file to look at: HTML, SVG, Markdown, CSV, XLSX, Mermaid, or a preview that the session made.',
      query: z.object({ path: z.string().max(4096).optional() }),
      scoped: true,
      answers: {
        200: '{preview: {path, kind, size, text | base64}}',
        403: 'OutsideWorkspace, SecretFile',
        404: 'SessionNotFound, FileNotFound',
        413: 'FileTooLarge',
        415: 'NoPreview',
        422: 'InvalidPreview',
      },
      async handle(c, { params, query, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const place = await placeOf(session)
        const given = query['path'] ?? ''
        const { real, shown, size } = findPreview(given, place, homePath)
        const kind = kinds[path.extname(real).toLowerCase()]
        const isOwnJsx = isJsxFile(real, place)
        if (kind === undefined || (kind === 'jsx' && !isOwnJsx))
          throw new NamedError('NoPreview', 'There is no preview for files of this kind.', { status: 415 })
        if (size > maxPreviewBytes)
          throw new NamedError('FileTooLarge', 'The file is too large to be shown: the limit is 5 MiB.', {
            status: 413,
            data: { size, limit: maxPreviewBytes },
          })
        const bytes = await readFile(real)
        if (kind === 'xlsx') return c.json({ preview: { path: shown, kind, size, base64: bytes.toString('base64') } })
        const text = bytes.toString('utf8')
        if (kind === 'jsx') refuseInvalid(text, shown)
        return c.json({ preview: { path: shown, kind, size, text } })
      },
    }),
  ]

  async function placeOf(session: Session): Promise<PreviewRoots> {
    const workspace = await store.workspaces.get(session.workspaceId)
    const cwd = await realpath(workspace?.path ?? homePath)
    const own = path.join(await realpath(homePath), 'sessions', session.id)
    const jsxFolder = path.join(own, 'jsx')
    return { cwd, roots: [cwd], readable: [path.join(own, 'output'), jsxFolder], jsxFolder }
  }
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
    throw new NamedError('FileNotFound', 'There is no such file any more.', { status: 404, data: { path: given } })
  const inside = path.relative(place.cwd, real)
  const isOurs = isPrivateToHome(real, homePath, [...place.roots, ...place.readable])
  if (isOurs || secretIn(inside.startsWith('..') ? path.basename(real) : inside) !== undefined)
    throw new NamedError('SecretFile', 'Files like that hold keys and passwords: they are not shown.', { status: 403 })
  return { real, shown, size: stats.size }
}

function resolvePreview(given: string, place: PreviewRoots): ReturnType<typeof resolvePath> {
  try {
    return resolvePath({ state: place }, given, { for: 'read' })
  } catch (error) {
    // Its words name places that are nobody's business outside.
    throw new NamedError('OutsideWorkspace', 'Only files of the workspace and of the session are shown.', {
      status: 403,
      data: {},
      cause: error,
    })
  }
}

function refuseInvalid(text: string, shown: string): void {
  const { problem } = checkJsx(text)
  if (problem === undefined) return
  throw new NamedError('InvalidPreview', `The preview is not valid, ${jsxProblemText(problem)}`, {
    status: 422,
    data: { path: shown, ...problem },
  })
}
