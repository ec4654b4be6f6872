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
