/** Formats a path on one line. Names with control characters become JSON strings. */
export function printablePath(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path
}

export function printablePlace(shown: string): string {
  return shown === '.' ? 'the working directory' : printablePath(shown)
}

/** Formats an integer: `1234567` becomes `1,234,567`. Used at startup, where loading Intl takes 15 ms. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

export function formatCount(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`
}

/** Replaces secrets in a text. Skips short ones: they are placeholders, and replacing them would garble the text. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < 8) continue
    clean = clean.replaceAll(secret, '[redacted]')
    // In JSON text, line breaks and quotes are escaped.
    if (/[\n"\\]/.test(secret)) clean = clean.replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]')
  }
  return clean
}

/**
 * Replaces lone surrogates, which some providers reject. A tool may cut its output anywhere. Returns the same object if
 * nothing changes.
 */
export function wellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (repairValue(value) as T)
}

/** Check before copying, since there is hardly ever anything to repair. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  for (const key in value) if (!key.isWellFormed() || !isWellFormed(value[key as never])) return false
  return true
}

function repairValue(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed<unknown>(item)]))
}
