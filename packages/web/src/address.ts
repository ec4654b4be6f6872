/** What the part of the address behind `#` says: `#k=<one-time key>` and `#s=<session>`, alone or joined by `&`. */
export interface Address {
  key: string | null
  sessionId: string | null
}

export function readAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const sessionId = fields.get('s')
  return {
    key: fields.get('k'),
    sessionId: sessionId !== null && /^[A-Za-z0-9_-]{1,64}$/.test(sessionId) ? sessionId : null,
  }
}

/** The key of an address that a person pasted, or the key itself. */
export function keyFrom(pasted: string): string | null {
  const text = pasted.trim()
  if (text === '') return null
  const hash = text.indexOf('#')
  return hash < 0 ? text : readAddress(text.slice(hash)).key
}

export function writeAddress(sessionId: string | null): string {
  return sessionId === null ? '#' : `#s=${sessionId}`
}
