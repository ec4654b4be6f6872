export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns the value if it is a finite number. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Splits text into lines, without the empty line after a trailing newline. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

/** Returns the URL and its host if it is safe to link to. */
export function webAddress(url: unknown): { href: string; host: string } | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined
  const { href, host } = new URL(url)
  return { href, host }
}
