import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Blobs, Session } from '@troupe/core'
import {
  NamedError,
  type PublishedChat,
  publishEndpoints,
  type PublishSettings,
  type PublishTarget,
} from '@troupe/protocol'
import type { ConfigFile } from '../../config/config.ts'
import { implement, type Route } from '../../http/route.ts'
import { findSession } from '../../http/scope.ts'
import type { SqlStore } from '../../stores/sql/sql-store.ts'
import { exportHtml } from '../export/export-html.ts'
import { openExport } from '../export/export-session.ts'
import { publishPlace } from './publish-places.ts'

interface PublishOptions {
  store: SqlStore
  blobs: Blobs
  config: ConfigFile
  redact: (text: string) => string
  fetch?: typeof globalThis.fetch
}

const settingsKey = 'published-chats'

interface Entry {
  /** The folder or bucket. After a change of the settings, the page is no longer ours to replace or delete. */
  target: string
  name: string
  publishedAt: number
}

/** Routes that publish a chat as a page, into a folder or bucket of the user. */
export function publishRoutes({ store, blobs, config, redact, fetch = globalThis.fetch }: PublishOptions): Route[] {
  let changing: Promise<unknown> = Promise.resolve()

  return implement(publishEndpoints, {
    'GET /ai/publish': () => ({ target: target() }),
    'PUT /ai/publish': async ({ body }) => {
      await config.update((current) => {
        const { publish: before, ...rest } = current
        return body.target === null ? rest : { ...current, publish: complete(body.target, before) }
      })
      return { target: target() }
    },
    'GET /ai/sessions/:id/publish': async ({ params, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      return { published: shown(await entryOf(session.id)) }
    },
    'POST /ai/sessions/:id/publish': async ({ params, body, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      const { branch, lang } = body
      if (branch !== undefined && (await store.messages.get({ sessionId: session.id }, branch)) === undefined)
        throw new NamedError('MessageNotFound', 'This message does not exist.', { status: 404 })
      const place = publishPlace(settings(), { fetch, redact })
      const source = await openExport(session, { store, blobs, redact })
      const entry = await change(session.id, async (before) => {
        const name = before?.name ?? newName(session)
        await place.put(name, exportHtml(source, { leaf: branch, language: lang }))
        return { target: targetId(settings()), name, publishedAt: Date.now() }
      })
      return { published: shown(entry) }
    },
    'DELETE /ai/sessions/:id/publish': async ({ params, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      await change(session.id, async (before) => {
        if (before !== undefined) await publishPlace(settings(), { fetch, redact }).remove(before.name)
        return undefined
      })
      return { published: null }
    },
  })

  function settings(): PublishSettings {
    return config.get().publish ?? {}
  }

  function target(): PublishTarget | null {
    const { folder, bucket, url } = settings()
    if (folder === undefined && bucket === undefined) return null
    if (bucket === undefined) return { folder, url }
    const { secretAccessKey, ...rest } = bucket
    return { bucket: { ...rest, hasKey: secretAccessKey !== '' }, url }
  }

  async function entryOf(sessionId: string): Promise<Entry | undefined> {
    const entry = (await entries())[sessionId]
    return entry?.target === targetId(settings()) ? entry : undefined
  }

  async function entries(): Promise<Record<string, Entry>> {
    return ((await store.settings.get(settingsKey)) as Record<string, Entry> | undefined) ?? {}
  }

  /** One at a time, because each writes the whole list. */
  async function change(
    sessionId: string,
    work: (before: Entry | undefined) => Promise<Entry | undefined>,
  ): Promise<Entry | undefined> {
    const done = changing.then(async () => {
      const entry = await work(await entryOf(sessionId))
      const { [sessionId]: _, ...others } = await entries()
      await store.settings.set(settingsKey, entry === undefined ? others : { ...others, [sessionId]: entry })
      return entry
    })
    changing = done.catch(() => undefined)
    return done
  }

  function shown(entry: Entry | undefined): PublishedChat | null {
    if (entry === undefined) return null
    const { url, bucket } = settings()
    const { name, publishedAt } = entry
    const base = url === undefined || url.endsWith('/') ? url : `${url}/`
    return {
      name,
      publishedAt,
      place: publishPlace(settings(), { fetch, redact }).where(name),
      url: base === undefined ? null : `${base}${bucket?.prefix ?? ''}${name}`,
    }
  }
}

function targetId({ folder, bucket }: PublishSettings): string {
  return folder ?? JSON.stringify([bucket?.endpoint, bucket?.bucket, bucket?.prefix])
}

type NewTarget = Omit<PublishSettings, 'bucket'> & {
  bucket?: Omit<NonNullable<PublishSettings['bucket']>, 'secretAccessKey'> & { secretAccessKey?: string }
}

function complete({ folder, bucket, url }: NewTarget, before: PublishSettings | undefined): PublishSettings {
  if ((folder === undefined) === (bucket === undefined))
    throw new NamedError('BadRequest', 'Choose a folder or a bucket, not both.')
  if (folder !== undefined) {
    if (!path.isAbsolute(folder)) throw new NamedError('BadRequest', 'The folder must be an absolute path.')
    return { folder: path.normalize(folder), url }
  }
  if (bucket === undefined) return {}
  const { bucket: old } = before ?? {}
  const isSame = old?.endpoint === bucket.endpoint && old.accessKeyId === bucket.accessKeyId
  const secretAccessKey = bucket.secretAccessKey ?? (isSame ? old?.secretAccessKey : undefined)
  if (secretAccessKey === undefined) throw new NamedError('BadRequest', 'Enter the secret key of the bucket.')
  return { bucket: { ...bucket, secretAccessKey }, url }
}

/** Part of the title, so that people recognize it, and 80 random bits, so that nobody guesses it. */
function newName({ title }: Session): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  return `${words || 'chat'}-${randomBytes(10).toString('hex')}.html`
}
