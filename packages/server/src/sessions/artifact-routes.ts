import path from 'node:path'
import {
  artifactsFolder,
  type ArtifactVersion,
  diffBytes,
  listVersions,
  readVersion,
  type Store,
  utf8Format,
} from '@troupe/core'
import { type Artifact, artifactEndpoints, type ArtifactVersionInfo, NamedError } from '@troupe/protocol'
import type { Home } from '../config/home.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'

interface ArtifactOptions {
  store: Store
  home: Pick<Home, 'path'>
}

/** Pages, drawings and documents of a session, with every version that its tools wrote. */
export function artifactRoutes({ store, home }: ArtifactOptions): Route[] {
  const { 'POST /ai/print': _, ...endpoints } = artifactEndpoints
  return implement(endpoints, {
    'GET /ai/sessions/:id/artifacts': async ({ params, workspaceId }) => {
      const versions = await listVersions(await folderOf(params.id, workspaceId))
      const byArtifact = Map.groupBy(versions, ({ artifact }) => artifact)
      const artifacts = [...byArtifact.values()].map(toArtifact)
      return { artifacts: artifacts.toSorted((one, other) => other.updatedAt - one.updatedAt) }
    },
    'GET /ai/sessions/:id/artifact': async ({ params, query, workspaceId }) => {
      const versions = await findVersions(params.id, workspaceId, query)
      return { artifact: versions.length === 0 ? null : toArtifact(versions), versions: versions.map(toInfo) }
    },
    'GET /ai/sessions/:id/artifact/version': async ({ params, query, workspaceId }) => {
      const versions = await versionsOf(params.id, workspaceId, query)
      const version = numbered(versions, query.version ?? versions.length)
      const text = (await contentOf(params.id, workspaceId, version)).toString('utf8')
      return { version: { ...toInfo(version), kind: version.kind, text } }
    },
    'GET /ai/sessions/:id/artifact/diff': async ({ params, query, workspaceId }) => {
      const versions = await versionsOf(params.id, workspaceId, query)
      const [from, to] = await Promise.all(
        [query.from ?? Math.max(1, versions.length - 1), query.to ?? versions.length].map(async (number) => ({
          bytes: await contentOf(params.id, workspaceId, numbered(versions, number)),
          format: utf8Format,
        })),
      )
      return diffBytes(from, to)
    },
  })

  async function folderOf(sessionId: string, workspaceId: string): Promise<string> {
    const session = await findSession(store, sessionId, workspaceId)
    return artifactsFolder({ jsxFolder: path.join(home.path, 'sessions', session.id, 'jsx') })
  }

  async function findVersions(
    sessionId: string,
    workspaceId: string,
    { artifact, path: file }: { artifact?: string | undefined; path?: string | undefined },
  ): Promise<ArtifactVersion[]> {
    const all = await listVersions(await folderOf(sessionId, workspaceId))
    const id = artifact ?? all.findLast((one) => isSamePath(one.path, file ?? ''))?.artifact
    return all.filter((one) => one.artifact === id)
  }

  async function versionsOf(
    sessionId: string,
    workspaceId: string,
    query: { artifact?: string | undefined },
  ): Promise<ArtifactVersion[]> {
    const versions = await findVersions(sessionId, workspaceId, query)
    if (versions.length === 0)
      throw new NamedError('ArtifactNotFound', 'This chat has no versions of it.', { status: 404 })
    return versions
  }

  async function contentOf(sessionId: string, workspaceId: string, version: ArtifactVersion): Promise<Buffer> {
    const bytes = await readVersion(await folderOf(sessionId, workspaceId), version)
    if (bytes !== undefined) return bytes
    throw new NamedError('VersionGone', 'This version was removed to save space. Choose a newer one.', { status: 410 })
  }
}

/** Tools report files relative to the workspace. */
function isSamePath(real: string, given: string): boolean {
  return given !== '' && (real === given || real.endsWith(`/${given.replace(/^\.?\//, '')}`))
}

function numbered(versions: readonly ArtifactVersion[], number: number): ArtifactVersion {
  const found = versions.find(({ version }) => version === number)
  if (found === undefined)
    throw new NamedError('ArtifactNotFound', `There is no version ${number}. The newest is ${versions.length}.`, {
      status: 404,
    })
  return found
}

function toArtifact(versions: readonly ArtifactVersion[]): Artifact {
  const last = versions.at(-1) as ArtifactVersion
  return {
    id: last.artifact,
    title: last.title,
    kind: last.kind,
    path: last.path,
    versions: versions.length,
    updatedAt: last.createdAt,
  }
}

function toInfo({
  version,
  title,
  path: file,
  size,
  messageId,
  toolCallId,
  createdAt,
}: ArtifactVersion): ArtifactVersionInfo {
  return { version, title, path: file, size, messageId, toolCallId, createdAt }
}
