import path from 'node:path'
import { NamedError, publishEndpoints, type PublishSettings, type PublishTarget } from '@troupe/protocol'
import type { ConfigFile } from '../../config/config.ts'
import { implement, type Route } from '../../http/route.ts'
import { findSession } from '../../http/scope.ts'
import type { SqlStore } from '../../stores/sql/sql-store.ts'
import type { PublishedPages } from './published-pages.ts'

interface PublishOptions {
  store: SqlStore
  config: ConfigFile
  published: PublishedPages
}

/** Routes that publish a chat as a page, into a folder or bucket of the user. */
export function publishRoutes({ store, config, published }: PublishOptions): Route[] {
  return implement(publishEndpoints, {
    'GET /ai/publish': () => ({ target: target() }),
    'PUT /ai/publish': async ({ body }) => {
      await config.update((current) => {
        const { publish: before, ...rest } = current
        return body.target === null ? rest : { ...current, publish: complete(body.target, before) }
      })
      return { target: target() }
    },
    'GET /ai/publish/pages': async () => {
      const pages = await published.all()
      const titles = await Promise.all(pages.map(async ({ sessionId }) => (await store.sessions.get(sessionId))?.title))
      return { pages: pages.map((page, index) => ({ ...page, title: titles[index] ?? null })) }
    },
    'DELETE /ai/publish/pages/:name': async ({ params: { name }, query: { forget } }) => {
      if (!(await published.all()).some((page) => page.name === name))
        throw new NamedError('PageNotFound', 'This page is not published.', { status: 404 })
      await (forget === '1' ? published.forget(name) : published.unpublish({ name }))
      return { deleted: name }
    },
    'GET /ai/sessions/:id/publish': async ({ params, workspaceId }) => {
      const { id } = await findSession(store, params.id, workspaceId)
      return copies(id)
    },
    'POST /ai/sessions/:id/publish': async ({ params, body: { branch, lang }, workspaceId }) => {
      const find = async () => {
        const session = await findSession(store, params.id, workspaceId)
        if (branch !== undefined && (await store.messages.get({ sessionId: session.id }, branch)) === undefined)
          throw new NamedError('MessageNotFound', 'This message does not exist.', { status: 404 })
        return session
      }
      await published.publish((await find()).id, find, { leaf: branch, language: lang })
      return copies(params.id)
    },
    'DELETE /ai/sessions/:id/publish': async ({ params, workspaceId }) => {
      const { id } = await findSession(store, params.id, workspaceId)
      await published.unpublish({ sessionId: id })
      return copies(id)
    },
  })

  async function copies(sessionId: string) {
    const { here, elsewhere } = await published.of(sessionId)
    return { published: here, elsewhere }
  }

  function target(): PublishTarget | null {
    const { folder, bucket, url } = config.get().publish ?? {}
    if (folder === undefined && bucket === undefined) return null
    if (bucket === undefined) return { folder, url }
    const { secretAccessKey, ...rest } = bucket
    return { bucket: { ...rest, hasKey: secretAccessKey !== '' }, url }
  }
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
