import type { Me } from '@troupe/protocol'
import { browserStorage, type KeyValueStorage } from '../platform/storage.ts'

/** Returns an HMAC-SHA-256 in base64url. Web Crypto is asynchronous, but rendering needs the URL synchronously. */
export function signLink(key: string, text: string): string {
  const block = new Uint8Array(64)
  const bytes = new TextEncoder().encode(key)
  block.set(bytes.length > 64 ? sha256(bytes) : bytes)
  const inner = sha256(
    concat(
      block.map((byte) => byte ^ 0x36),
      new TextEncoder().encode(text),
    ),
  )
  const outer = sha256(
    concat(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  )
  return toBase64Url(outer)
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** FIPS 180-4. */
function sha256(message: Uint8Array): Uint8Array {
  const length = (((message.length + 8) >> 6) + 1) << 6
  const padded = new Uint8Array(length)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(length - 8, Math.floor(message.length / 0x2000_0000))
  view.setUint32(length - 4, message.length << 3)
  const hash = Uint32Array.from(initialHash)
  const words = new Uint32Array(64)
  for (let offset = 0; offset < length; offset += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(offset + i * 4)
    for (let i = 16; i < 64; i++) {
      const [early, late] = [wordAt(words, i - 15), wordAt(words, i - 2)]
      const small0 = rotateRight(early, 7) ^ rotateRight(early, 18) ^ (early >>> 3)
      const small1 = rotateRight(late, 17) ^ rotateRight(late, 19) ^ (late >>> 10)
      words[i] = wordAt(words, i - 16) + small0 + wordAt(words, i - 7) + small1
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
    for (let i = 0; i < 64; i++) {
      const large1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)
      const first = (h + large1 + ((e & f) ^ (~e & g)) + wordAt(constants, i) + wordAt(words, i)) | 0
      const large0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)
      const second = (large0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
    }
    ;[a, b, c, d, e, f, g, h].forEach((value, i) => (hash[i] = wordAt(hash, i) + value))
  }
  const digest = new DataView(new ArrayBuffer(32))
  hash.forEach((value, i) => digest.setUint32(i * 4, value))
  return new Uint8Array(digest.buffer)
}

const primes = firstPrimes(64)
const constants = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const initialHash = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

function fraction(value: number): number {
  return Math.floor((value % 1) * 0x1_0000_0000)
}

function firstPrimes(count: number): number[] {
  const found: number[] = []
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n)
  return found
}

function rotateRight(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function wordAt(words: Uint32Array, index: number): number {
  return words[index] ?? 0
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

/**
 * The page's credential: good at this origin until the server ends, kept in the storage of the origin and sent in a
 * header. After a restart the page signs a challenge with a key that scripts can use but not read. See
 * docs/decisions/013-credentials-belong-to-an-origin.md.
 */
export interface PageAccess {
  headers: () => Record<string, string>
  exchange: (key: string) => Promise<Response>
  /** Gets a credential from a restarted server. False if the server does not know this page. */
  renew: () => Promise<boolean>
  /** Returns a signed URL that the browser can load by itself, such as an image or a download. */
  link: (path: string) => string
  /** Says whether there are accounts, and who is signed in. */
  me: () => Promise<Me>
  /** In team mode the cookie is the credential. A header proves that our page sent it. */
  useCookie: (links: SignedLinks) => void
  /** Reads with a share link instead, until the tab is reloaded. */
  useShare: (token: string, links: SignedLinks) => void
  isTeam: () => boolean
  forget: () => void
}

/** Signs URLs as this session or share link. Null without one. */
type SignedLinks = Pick<Me, 'linkId' | 'linkKey'>

/** Stored form of the credential. `public/early.js` reads it too. In team mode it has no secret but `linkKey`. */
interface Credential {
  credential?: string
  linkKey: string | null
  pageId?: string | null
  linkId?: string | null
}

const cookieHeaders = { 'x-troupe-page': '1' }

interface PageKeys {
  read(): Promise<CryptoKeyPair | undefined>
  write(keys: CryptoKeyPair): Promise<void>
}

const credentialKey = 'troupe.page'
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }

function createPageAccess({
  kept = browserStorage,
  keys = browserKeys,
  fetch = (input: string, init?: RequestInit) => window.fetch(input, init),
  // In development, a dev server sits between the page and our server.
  origin = () => (import.meta.env['VITE_SERVER_ORIGIN'] as string | undefined) ?? window.location.origin,
}: {
  kept?: KeyValueStorage
  keys?: PageKeys
  fetch?: (path: string, init: RequestInit) => Promise<Response>
  origin?: () => string
} = {}): PageAccess {
  let renewing: Promise<boolean> | undefined
  let share: { token: string; links: SignedLinks } | undefined
  return {
    headers: (): Record<string, string> => {
      if (share !== undefined) return { authorization: `Share ${share.token}` }
      const known = read()
      if (known === undefined) return {}
      return known.credential === undefined ? cookieHeaders : { authorization: `Page ${known.credential}` }
    },
    async exchange(key) {
      const publicKey = await createKeys(keys)
      const response = await post('/ai/auth', { key, publicKey })
      if (response.ok) kept.set(credentialKey, JSON.stringify(await response.clone().json()))
      return response
    },
    renew: () => {
      renewing ??= renew().finally(() => (renewing = undefined))
      return renewing
    },
    link(path) {
      const known: SignedLinks | Credential | undefined = share?.links ?? read()
      if (known?.linkKey == null || !path.startsWith('/ai/')) return path
      const as = known.linkId == null ? '' : `as=${known.linkId}`
      const target = as === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${as}`
      return `${target}${target.includes('?') ? '&' : '?'}access=${signLink(known.linkKey, target)}`
    },
    async me() {
      const response = await fetch('/ai/me', { headers: cookieHeaders, credentials: 'same-origin', cache: 'no-store' })
      return (await response.json()) as Me
    },
    useCookie: ({ linkId, linkKey }) => kept.set(credentialKey, JSON.stringify({ linkId, linkKey })),
    useShare: (token, links) => {
      share = { token, links }
    },
    isTeam: () => read()?.linkId !== undefined,
    forget: () => kept.set(credentialKey, null),
  }

  async function renew(): Promise<boolean> {
    const pageId = read()?.pageId
    const pair = await keys.read().catch(() => undefined)
    if (typeof pageId !== 'string' || pair === undefined) return false
    const challenge = await post('/ai/auth/challenge', {})
    if (!challenge.ok) return false
    const { nonce } = (await challenge.json()) as { nonce: string }
    // Signing the origin makes the signature useless to a server at another address. not shown
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

/** Returns undefined if the browser stores no keys. The page then needs a new URL after a restart. */
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

export const pageAccess = createPageAccess()
