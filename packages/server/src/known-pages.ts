import { createPublicKey, randomUUID, verify, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { NamedError } from '@troupe/core'
import { z } from 'zod'
import { writePrivately } from './home.ts'

/**
 * The browsers that were let in with a one-time key, by their public keys, in `pages.json` of the home. Each keeps its
 * private key where no script can read it, and signs a nonce after a restart. Deleting the file locks all of them out.
 */
export interface KnownPages {
  /** Returns the id of the page. Throws `BadRequest` where the key is none. */
  add(page: { origin: string; publicKey: string }): string
  verify(claim: { pageId: string; origin: string; text: string; signature: string }): boolean
}

const maxKnownPages = 50
const maxAbsenceMs = 90 * 24 * 60 * 60 * 1000

const pagesSchema = z.array(z.object({ id: z.string(), origin: z.string(), publicKey: z.string(), usedAt: z.number() }))
type Page = z.infer<typeof pagesSchema>[number]

export function openKnownPages(home: string): KnownPages {
  const file = path.join(home, 'pages.json')
  return {
    add({ origin, publicKey }) {
      if (readKey(publicKey) === undefined) throw new NamedError('BadRequest', 'The public key is not a P-256 key.')
      const id = randomUUID()
      write([...read(), { id, origin, publicKey, usedAt: Date.now() }])
      return id
    },
    verify({ pageId, origin, text, signature }) {
      const pages = read()
      const page = pages.find(({ id }) => id === pageId)
      const key = page?.origin === origin ? readKey(page.publicKey) : undefined
      if (page === undefined || key === undefined) return false
      const bytes = Buffer.from(signature, 'base64url')
      if (!verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes)) return false
      write([...pages.filter((one) => one !== page), { ...page, usedAt: Date.now() }])
      return true
    },
  }

  /** Oldest first. A file that cannot be read only means that pages need a new key. */
  function read(): Page[] {
    try {
      const pages = pagesSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
      return pages.filter(({ usedAt }) => Date.now() - usedAt < maxAbsenceMs)
    } catch {
      return []
    }
  }

  function write(pages: Page[]): void {
    writePrivately(file, `${JSON.stringify(pages.slice(-maxKnownPages), null, 2)}\n`)
  }
}

/** A P-256 key in SPKI form. */
function readKey(publicKey: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}
