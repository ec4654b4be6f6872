/** The type under which a model can read these bytes: an image, a PDF, or text of whatever kind. Undefined for others. */
export function modelMediaType(type: string, bytes: Uint8Array): string | undefined {
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(type) || type === 'application/pdf')
    return bytes.length > 0 ? type : undefined
  return isText(bytes) ? 'text/plain' : undefined
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
