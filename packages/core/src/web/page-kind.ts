import { fileKind, headLength } from '../files/file-kind.ts'

export type PageKind = { kind: 'html' } | { kind: 'text' } | { kind: 'binary'; name: string }

/** What came: told by its type, and by its first bytes where that says nothing. */
export function pageKind(contentType: string, body: Uint8Array): PageKind {
  const type = mediaTypeOf(contentType)
  if (type === 'text/html' || type === 'application/xhtml+xml') return { kind: 'html' }
  if (textTypes.test(type)) return { kind: 'text' }
  const found = fileKind(body.subarray(0, headLength))
  if (found.kind === 'text' && (type === '' || type === 'application/octet-stream')) {
    return looksLikeHtml(body) ? { kind: 'html' } : { kind: 'text' }
  }
  const seen = found.kind === 'binary' ? found.name : found.kind === 'text' ? '' : found.mediaType
  return { kind: 'binary', name: [type, seen].filter(Boolean).join(', ') }
}

export function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase()
}

const textTypes =
  /^text\/|[/+](json|xml|yaml|toml)$|^application\/(javascript|ecmascript|x-javascript|typescript|x-yaml|x-ndjson|jsonl|graphql|sql|x-sh|x-httpd-php|rtf)$/

function looksLikeHtml(body: Uint8Array): boolean {
  return /^\s*(<!doctype html|<html|<head|<body)/i.test(new TextDecoder('latin1').decode(body.subarray(0, 512)))
}
