import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { acceptSkills, type Blobs, dropStaged, type StagedSkills, stageSkills, type Store } from '@troupe/core'
import { NamedError, newId, skillEndpoints } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import { createSkillEdits } from './skill-edits.ts'
import type { SkillRegistry } from './skill-registry.ts'

/** Skills being imported. Unpacked for review, and installed only once the user trusts them. */
export interface SkillImports {
  /** Accepts a local folder or archive, or the bytes of an archive. */
  stage(source: string | Uint8Array): Promise<{ id: string } & Pick<StagedSkills, 'skills' | 'problems'>>
  /** Returns the installed folders. Skips skills whose name is now taken, and throws if none are left. */
  accept(id: string): string[]
  drop(id: string): void
  close(): void
}

/** Undecided imports are dropped, oldest first. */
const maxStaged = 8
const stagedMs = 24 * 60 * 60 * 1000

export function createSkillImports(home: string): SkillImports {
  const parent = path.join(home, 'imports')
  const staged = new Map<string, StagedSkills>()
  forgetOld(parent)

  return {
    async stage(source) {
      if (typeof source === 'string' && !path.isAbsolute(source))
        throw new NamedError('SkillsRefused', `"${source}" is not an absolute path. Give the full path.`, {
          status: 422,
        })
      const found = typeof source === 'string' ? tryToStage(source) : await stageBytes(source)
      const id = newId('imp_')
      staged.set(id, found)
      const oldest = [...staged.keys()][0]
      if (staged.size > maxStaged && oldest !== undefined) drop(oldest)
      return { id, skills: found.skills, problems: found.problems }
    },
    accept(id) {
      const found = find(id)
      const folders = attempt(() => acceptSkills(found, path.join(home, 'skills')))
      staged.delete(id)
      return folders
    },
    drop(id) {
      find(id)
      drop(id)
    },
    close() {
      for (const id of staged.keys()) drop(id)
    },
  }

  async function stageBytes(bytes: Uint8Array): Promise<StagedSkills> {
    await mkdir(parent, { recursive: true, mode: 0o700 })
    const file = path.join(parent, newId('sent_'))
    try {
      await writeFile(file, bytes, { flag: 'wx', mode: 0o600 })
      return tryToStage(file, 'the archive')
    } finally {
      await rm(file, { force: true })
    }
  }

  function tryToStage(source: string, name?: string): StagedSkills {
    return attempt(
      () => stageSkills(source, parent, path.join(home, 'skills')),
      name === undefined ? undefined : { source, name },
    )
  }

  function find(id: string): StagedSkills {
    const found = staged.get(id)
    if (found === undefined)
      throw new NamedError('ImportNotFound', 'This import has expired. Start it again.', { status: 404 })
    return found
  }

  function drop(id: string): void {
    const found = staged.get(id)
    staged.delete(id)
    if (found !== undefined) dropStaged(found)
  }
}

/**
 * Removes leftovers of a killed process. Keeps recent ones, because `troupe skills` unpacks there too and they may be
 * under review.
 */
function forgetOld(parent: string): void {
  if (!existsSync(parent)) return
  for (const name of readdirSync(parent)) {
    const folder = path.join(parent, name)
    const { mtimeMs = Infinity } = statSync(folder, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs < Date.now() - stagedMs) rmSync(folder, { recursive: true, force: true })
  }
}

/** Reports rejections as a 422, since the user can fix them. */
function attempt<T>(work: () => T, named?: { source: string; name: string }): T {
  try {
    return work()
  } catch (error) {
    const { message } = error as Error
    const text = named === undefined ? message : message.replaceAll(named.source, named.name)
    throw new NamedError('SkillsRefused', text, { status: 422, cause: error })
  }
}

export function skillRoutes(options: {
  store: Store
  skills: SkillRegistry
  skillImports: SkillImports
  blobs: Blobs
  home: { path: string }
  config: ConfigFile
}): Route[] {
  const { store, skills, skillImports, blobs, config } = options
  const edits = createSkillEdits({ home: options.home, config, skills })
  return implement(skillEndpoints, {
    'GET /ai/skills': async ({ workspaceId }) => skills.list(await findWorkspace(store, workspaceId)),
    'POST /ai/skills': async ({ body, workspaceId }) => ({
      path: await edits.create(await findWorkspace(store, workspaceId), body),
    }),
    'PATCH /ai/skills': async ({ body }) => {
      await edits.enable(body.name, body.enabled)
      return body
    },
    'DELETE /ai/skills': async ({ query, workspaceId }) => {
      await edits.remove(await findWorkspace(store, workspaceId), query.path)
      return { deleted: query.path }
    },
    'GET /ai/skills/text': async ({ query, workspaceId }) =>
      edits.read(await findWorkspace(store, workspaceId), query.path),
    'PATCH /ai/skills/text': async ({ body, workspaceId }) =>
      edits.write(await findWorkspace(store, workspaceId), body.path, body.text, body.version),
    'POST /ai/skills/imports': async ({ body }) => {
      if ('path' in body) return { import: await skillImports.stage(body.path) }
      const blob = await blobs.get(body.blob)
      if (blob === undefined) throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
      return { import: await skillImports.stage(blob.bytes) }
    },
    'POST /ai/skills/imports/:id': ({ params }) => ({ imported: skillImports.accept(params.id) }),
    'DELETE /ai/skills/imports/:id': ({ params }) => {
      skillImports.drop(params.id)
      return { deleted: params.id }
    },
  })
}
