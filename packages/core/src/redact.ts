/** Replaces every secret in a text. Short ones stay: they are placeholders, and replacing them would garble the text. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < 8) continue
    clean = clean.replaceAll(secret, '[redacted]')
    // The text may be JSON, in which a line break or a quotation mark is written otherwise.
    if (/[\n"\\]/.test(secret)) clean = clean.replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]')
  }
  return clean
}

/** Keys by their look, for texts that quote the request back. */
export function maskKeys(text: string): string {
  return text.replace(
    /\b(?:sk|pk|xai|gsk|AIza|vck)[-_][\w-]{16,}|\bAIza[\w-]{20,}|\bBearer\s+[\w.-]{16,}/g,
    '[redacted]',
  )
}
