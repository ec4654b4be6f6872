import type { KeyValueStorage } from './kept.ts'
import { browserStorage } from './kept.ts'
import { signLink, toBase64Url } from './sign-link.ts'

/**
 * The page's credential: good at this origin until the server ends, kept in the storage of the origin and sent in a
 * header. After a restart the page signs a challenge with a key that scripts can use but not read. See
 * docs/decisions/013-the-credential-belongs-to-the-origin.md.
 */
export interface PageAccess {
  headers: () => Record<string, string>
  /** Trades the one-time key for a credential. */
  exchange: (key: string) => Promise<Response>
  /** Gets the credential of a server that was restarted. False: this server does not know the page. */
  renew: () => Promise<boolean>
  /** An address of ours that the browser may ask for by itself: an image, a download. */
  link: (path: string) => string
}

/** What of a credential is kept; `public/early.js` reads it, too. */
interface Credential {
  credential: string
  linkKey: string
  pageId: string | null
}

export interface PageKeys {
  read(): Promise<CryptoKeyPair | undefined>
  write(keys: CryptoKeyPair): Promise<void>
}

const credentialKey = 'troupe.page'
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }

export function createPageAccess({
  kept = browserStorage,
  keys = browserKeys,
  fetch = (input: string, init?: RequestInit) => window.fetch(input, init),
  // While it is being developed, another server stands between the page and ours.
  origin = () => (import.meta.env['VITE_SERVER_ORIGIN'] as string | undefined) ?? window.location.origin,
}: {
  kept?: KeyValueStorage
  keys?: PageKeys
  fetch?: (path: string, init: RequestInit) => Promise<Response>
  origin?: () => string
} = {}): PageAccess {
  let renewing: Promise<boolean> | undefined
  return {
    headers: () => {
      const known = read()
      return known === undefined ? {} : { authorization: `Page ${known.credential}` }
    },
    async exchange(key) {
      const publicKey = await createKeys(keys)
      const response = await post('/ai/auth', { key, ...(publicKey !== undefined && { publicKey }) })
      if (response.ok) kept.set(credentialKey, JSON.stringify(await response.clone().json()))
      return response
    },
    renew: () => {
      renewing ??= renew().finally(() => (renewing = undefined))
      return renewing
    },
    link(path) {
      const known = read()
      if (known === undefined || !path.startsWith('/ai/')) return path
      return `${path}${path.includes('?') ? '&' : '?'}access=${signLink(known.linkKey, path)}`
    },
  }

  async function renew(): Promise<boolean> {
    const pageId = read()?.pageId
    const pair = await keys.read().catch(() => undefined)
    if (typeof pageId !== 'string' || pair === undefined) return false
    const challenge = await post('/ai/auth/challenge', {})
    if (!challenge.ok) return false
    const { nonce } = (await challenge.json()) as { nonce: string }
    // The origin is in it: what is signed here is worth nothing at a server that listens elsewhere.
    // not shown
    const text = new TextEncoder().encode(`troupe page\n${origin()}\n${nonce}`)
    const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, text)
    const response = await post('/ai/auth', { pageId, nonce, signature: toBase64Url(new Uint8Array(signed)) })
    if (response.ok) kept.set(credentialKey, JSON.stringify(await response.json()))
    return response.ok
  }

  function post(path: string, body: unknown): Promise<Response> {
    return fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
    })
  }

  function read(): Credential | undefined {
    try {
      return (JSON.parse(kept.get(credentialKey) ?? 'null') as Credential | null) ?? undefined
    } catch {
      return undefined
    }
  }
}

/** Where the browser keeps no keys, the page needs a new address after a restart. */
async function createKeys(keys: PageKeys): Promise<string | undefined> {
  try {
    const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
    await keys.write(pair)
    return toBase64Url(new Uint8Array(await crypto.subtle.exportKey('spki', pair.publicKey)))
  } catch {
    return undefined
  }
}

const browserKeys: PageKeys = {
  read: () => withKeyStore('readonly', (store) => store.get('page') as IDBRequest<CryptoKeyPair | undefined>),
  write: async (pair) => void (await withKeyStore('readwrite', (store) => store.put(pair, 'page'))),
}

function withKeyStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('troupe', 1)
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('keys'))
    opening.addEventListener('error', () => reject(opening.error ?? new Error('no storage')))
    opening.addEventListener('success', () => {
      const database = opening.result
      const request = work(database.transaction('keys', mode).objectStore('keys'))
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () => reject(request.error ?? new Error('no storage')))
      database.close()
    })
  })
}

/** The access of this page. */
export const pageAccess = createPageAccess()
