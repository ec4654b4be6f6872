/**
 * Parsed URL fragment: `#k=<one-time key>`, `#w=<folder>`, `#s=<session>`, `#settings/<section>/<setting>` and `#inbox`,
 * alone or joined by `&`.
 */
export interface Address {
  key: string | null
  sessionId: string | null
  /** Id of the folder. Null: the one that the server was started in. */
  folder: string | null
  /** Open settings section or setting, or empty for the overview. Null if closed. */
  settings: string | null
  /** True if a notification opened the inbox. Not kept in the URL. */
  inbox: boolean
}

/** A link of team mode. After a reload its value is in the storage of the tab. */
export interface TeamLink {
  kind: (typeof teamLinks)[number]
  value: string
}

const teamLinks = ['setup', 'invite', 'share', 'device', 'sign-in-failed'] as const

/** `#invite=<token>` and the like. The page removes the value from the address at once. */
export function readTeamLink(hash: string): TeamLink | null {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const kind = teamLinks.find((name) => fields.has(name))
  return kind === undefined ? null : { kind, value: fields.get(kind) ?? '' }
}

export function readAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ''))
  const sessionId = fields.get('s')
  const folder = fields.get('w')
  const settings = [...fields.keys()].map((name) => /^settings(?:\/(.{0,300}))?$/.exec(name))
  const found = settings.find((match) => match !== null)
  return {
    key: fields.get('k'),
    sessionId: sessionId !== null && /^[A-Za-z0-9_-]{1,64}$/.test(sessionId) ? sessionId : null,
    folder: folder !== null && /^w_[A-Za-z0-9_-]{1,62}$/.test(folder) ? folder : null,
    settings: found === undefined || found === null ? null : (found[1] ?? ''),
    inbox: fields.has('inbox'),
  }
}

/** Extracts the key from a pasted URL, or accepts the key itself. */
export function readAccessKey(pasted: string): string | null {
  const text = pasted.trim()
  if (text === '') return null
  const hash = text.indexOf('#')
  return hash < 0 ? text : readAddress(text.slice(hash)).key
}

export function writeAddress({
  sessionId,
  settings,
  folder,
}: Pick<Address, 'sessionId' | 'settings' | 'folder'>): string {
  const place =
    settings === null
      ? []
      : [settings === '' ? 'settings' : `settings/${settings.split('/').map(encodeURIComponent).join('/')}`]
  const parts = [
    ...(folder === null ? [] : [`w=${folder}`]),
    ...(sessionId === null ? [] : [`s=${sessionId}`]),
    ...place,
  ]
  return `#${parts.join('&')}`
}
