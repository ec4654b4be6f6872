/**
 * What the part of the address behind `#` says: `#k=<one-time key>`, `#s=<session>`, `#settings/<section>/<setting>` and
 * `#inbox`, alone or joined by `&`.
 */
export interface Address {
  key: string | null
  sessionId: string | null
  /** Where the settings are open: a section, a setting of one, or empty; null where they are not. */
  settings: string | null
  /** The inbox is asked for: a notification leads there. It does not stay in the address. */
  inbox: boolean
}

export function readAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const sessionId = fields.get('s')
  const settings = [...fields.keys()].map((name) => /^settings(?:\/(.{0,300}))?$/.exec(name))
  const found = settings.find((match) => match !== null)
  return {
    key: fields.get('k'),
    sessionId: sessionId !== null && /^[A-Za-z0-9_-]{1,64}$/.test(sessionId) ? sessionId : null,
    settings: found === undefined || found === null ? null : (found[1] ?? ''),
    inbox: fields.has('inbox'),
  }
}

/** The key of an address that a person pasted, or the key itself. */
export function readAccessKey(pasted: string): string | null {
  const text = pasted.trim()
  if (text === '') return null
  const hash = text.indexOf('#')
  return hash < 0 ? text : readAddress(text.slice(hash)).key
}

export function writeAddress(sessionId: string | null, settings: string | null = null): string {
  const place =
    settings === null
      ? []
      : [settings === '' ? 'settings' : `settings/${settings.split('/').map(encodeURIComponent).join('/')}`]
  return `#${[...(sessionId === null ? [] : [`s=${sessionId}`]), ...place].join('&')}`
}
