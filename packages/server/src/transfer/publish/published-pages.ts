import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Session } from '@troupe/core'
import { errorInfo, NamedError, type PublishedChat, type PublishSettings } from '@troupe/protocol'
import { z } from 'zod'
import type { ConfigFile } from '../../config/config.ts'
import type { SqlStore } from '../../stores/sql/sql-store.ts'
import { createKeyedMutex } from '../../util/concurrency.ts'
import type { BlobScopes } from '../../http/principal.ts'
import type { Logger } from '../../util/logger.ts'
import { exportHtml } from '../export/export-html.ts'
import { openExport } from '../export/export-session.ts'
import { type PublishPlace, publishPlace } from './publish-places.ts'

const pageSchema = z.object({
  sessionId: z.string(),
  name: z.string(),
  publishedAt: z.number(),
  /** Its location without the secret key, so that it can be found after the settings change. */
  folder: z.string().optional(),
  bucket: z
    .object({
      endpoint: z.string(),
      region: z.string(),
      bucket: z.string(),
      prefix: z.string().optional(),
      accessKeyId: z.string(),
    })
    .optional(),
  url: z.string().optional(),
})
type Page = z.infer<typeof pageSchema>

/** Pages that are online: at most one per chat and place. */
export interface PublishedPages {
  /** `here`: in the place of the current settings. */
  of(sessionId: string): Promise<{ here: PublishedChat | null; elsewhere: PublishedChat[] }>
  all(): Promise<(PublishedChat & { sessionId: string })[]>
  /** Writes the page, or replaces it under the same link. `find` is called when it is this chat's turn. */
  publish(sessionId: string, find: () => Promise<Session>, options: { leaf?: string; language?: string }): Promise<void>
  /** Deletes the pages that match, wherever they are. Throws the first failure after trying all of them. */
  unpublish(which: { sessionId: string } | { name: string }): Promise<void>
  /** Deletes no page, only forgets it. */
  forget(name: string): Promise<void>
  /** For a deleted chat. Returns the places of pages that could not be deleted; they stay in the list. */
  unpublishDeleted(sessionId: string): Promise<string[]>
}

interface PublishedPagesOptions {
  store: SqlStore
  blobs: Pick<BlobScopes, 'session'>
  config: ConfigFile
  redact: (text: string) => string
  logger: Logger
}

const settingsKey = 'published-pages'

export function openPublishedPages({ store, blobs, config, redact, logger }: PublishedPagesOptions): PublishedPages {
  const inTurn = createKeyedMutex()

  return {
    async of(sessionId) {
      const settings = current()
      const pages = (await read()).filter((page) => page.sessionId === sessionId)
      const here = pages.find((page) => isSamePlace(page, settings))
      return {
        here: here === undefined ? null : shown(here, settings),
        elsewhere: pages.filter((page) => page !== here).map((page) => shown(page, settings)),
      }
    },
    async all() {
      const settings = current()
      return (await read()).map((page) => ({ ...shown(page, settings), sessionId: page.sessionId }))
    },
    publish: (sessionId, find, options) =>
      inTurn(sessionId, async () => {
        const session = await find()
        const settings = current()
        const place = openPlace(settings)
        const before = (await read()).find((page) => page.sessionId === sessionId && isSamePlace(page, settings))
        const name = before?.name ?? newName(session)
        const source = await openExport(session, { store, blobs: blobs.session(session.id), redact })
        await place.put(name, exportHtml(source, options))
        const page = { sessionId, name, publishedAt: Date.now(), ...withoutSecret(settings) }
        try {
          await change((pages) => [...pages.filter((other) => other.name !== name), page])
        } catch (error) {
          // A page that is in no list could never be unpublished.
          if (before === undefined) await place.remove(name)
          throw error
        }
      }),
    async unpublish(which) {
      const failures = await removeAll((page) =>
        'name' in which ? page.name === which.name : page.sessionId === which.sessionId,
      )
      if (failures[0] !== undefined) throw failures[0].error
    },
    async forget(name) {
      await change((pages) => pages.filter((page) => page.name !== name))
    },
    async unpublishDeleted(sessionId) {
      const failures = await removeAll((page) => page.sessionId === sessionId)
      for (const { page, error } of failures)
        logger({
          level: 'warn',
          message: 'the published page of a deleted chat is still online',
          place: placeOf(page),
          error: errorInfo(error).message,
        })
      return failures.map(({ page }) => placeOf(page))
    },
  }

  function current(): PublishSettings {
    return config.get().publish ?? {}
  }

  function openPlace(settings: PublishSettings): PublishPlace {
    return publishPlace(settings, { fetch: globalThis.fetch, redact })
  }

  async function removeAll(matches: (page: Page) => boolean): Promise<{ page: Page; error: unknown }[]> {
    const failures: { page: Page; error: unknown }[] = []
    for (const { sessionId, name } of (await read()).filter(matches)) {
      await inTurn(sessionId, async () => {
        // Another request may have removed it meanwhile.
        const page = (await read()).find((other) => other.name === name)
        if (page === undefined) return
        try {
          await openPlace(settingsFor(page, current())).remove(name)
          await change((pages) => pages.filter((other) => other.name !== name))
        } catch (error) {
          failures.push({ page, error })
        }
      })
    }
    return failures
  }

  async function read(): Promise<Page[]> {
    return parse(await store.settings.get(settingsKey))
  }

  function parse(pages: unknown): Page[] {
    return z.array(pageSchema).parse(pages ?? [])
  }

  async function change(next: (pages: Page[]) => Page[]): Promise<void> {
    await store.settings.update(settingsKey, (pages) => next(parse(pages)))
  }
}

function isSamePlace(page: Page, { folder, bucket }: PublishSettings): boolean {
  if (folder !== undefined || page.folder !== undefined) return folder === page.folder
  return (
    bucket?.endpoint === page.bucket?.endpoint &&
    bucket?.bucket === page.bucket?.bucket &&
    (bucket?.prefix ?? '') === (page.bucket?.prefix ?? '')
  )
}

/** The settings that can still reach the page. A key is used only for the service it was entered for. */
function settingsFor(page: Page, settings: PublishSettings): PublishSettings {
  if (page.folder !== undefined) return { folder: page.folder }
  const { bucket } = settings
  if (bucket !== undefined && isSamePlace(page, settings)) return { bucket }
  if (
    page.bucket !== undefined &&
    bucket?.endpoint === page.bucket.endpoint &&
    bucket.accessKeyId === page.bucket.accessKeyId
  )
    return { bucket: { ...page.bucket, secretAccessKey: bucket.secretAccessKey } }
  throw new NamedError(
    'PublishTargetUnknown',
    `Troupe no longer has the key of the bucket with ${placeOf(page)}. Choose that bucket under Settings → Sharing, or delete the page there.`,
    { status: 409 },
  )
}

function shown(page: Page, settings: PublishSettings): PublishedChat {
  const { name, publishedAt, bucket } = page
  const url = isSamePlace(page, settings) ? settings.url : page.url
  const base = url === undefined || url.endsWith('/') ? url : `${url}/`
  return {
    name,
    publishedAt,
    place: placeOf(page),
    url: base === undefined ? null : `${base}${bucket?.prefix ?? ''}${name}`,
  }
}

function placeOf({ folder, bucket, name }: Page): string {
  if (folder !== undefined) return path.join(folder, name)
  return `${bucket?.bucket}/${bucket?.prefix ?? ''}${name}`
}

function withoutSecret({ folder, bucket, url }: PublishSettings): Pick<Page, 'folder' | 'bucket' | 'url'> {
  if (bucket === undefined) return { folder, url }
  const { secretAccessKey: _, ...rest } = bucket
  return { bucket: rest, url }
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
