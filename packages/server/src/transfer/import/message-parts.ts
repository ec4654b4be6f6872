import type { Blobs } from '@troupe/core'
import type { Part } from '@troupe/protocol'
import { latestTime, noteSystemMessage } from '../../stores/exported-schemas.ts'

const maxOutputLength = 200_000
const mediaTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
}

export function textPart(text: string): Part[] {
  return text.trim() === '' ? [] : [{ type: 'text', text: text.toWellFormed() }]
}

/** Another program's system prompt. It is shown but not sent to models. */
export function instructionsPart(text: string): Part[] {
  return textPart(text).length === 0 ? [] : noteSystemMessage({ role: 'system', parts: textPart(text) }).parts
}

export function reasoningPart(text: string): Part[] {
  return text.trim() === '' ? [] : [{ type: 'reasoning', text: text.trim().toWellFormed(), state: 'done' }]
}

/** A call made by another program. It cannot be repeated here. */
export function callPart(call: { id: string; name: string; input: unknown; output: string; failed?: boolean }): Part {
  const head = {
    type: 'dynamic-tool' as const,
    toolName: call.name.replace(/[^\w-]+/g, '_').slice(0, 64) || 'tool',
    toolCallId: call.id,
    input: call.input,
  }
  const output = call.output.toWellFormed().slice(0, maxOutputLength)
  if (call.failed === true) return { ...head, state: 'output-error', errorText: output || 'It failed.' }
  return { ...head, state: 'output-available', output }
}

/** Text of a file the other program read. Models see it as a file. */
export function filePart(name: string, content: string): Part {
  const data = { kind: 'file' as const, name: name || 'file', content: content.toWellFormed() }
  return { type: 'data-mention', data }
}

export async function blobPart(blobs: Blobs, bytes: Uint8Array, name: string, mediaType?: string): Promise<Part> {
  const type = mediaType || mediaTypes[name.split('.').at(-1)?.toLowerCase() ?? ''] || sniff(bytes)
  const { sha256 } = await blobs.put(bytes, type)
  return { type: 'file', mediaType: type, filename: name.slice(0, 255), url: `/ai/blobs/${sha256}` }
}

/** Returns the bytes of a `data:` URL. Undefined for other URLs, which are never fetched. */
export function dataBytes(url: string): { bytes: Uint8Array; mediaType: string } | undefined {
  const match = /^data:([\w.+-]+\/[\w.+-]+)?[^,]*;base64,/.exec(url.slice(0, 1000))
  if (match === null) return undefined
  const bytes = Buffer.from(url.slice(match[0].length), 'base64')
  return bytes.length === 0 ? undefined : { bytes, mediaType: match[1] ?? 'application/octet-stream' }
}

export function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url)
}

function sniff(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\u0089PNG')) return 'image/png'
  if (head.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg'
  if (head.startsWith('GIF8')) return 'image/gif'
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp'
  if (head.startsWith('%PDF')) return 'application/pdf'
  return 'application/octet-stream'
}

/** Reads untrusted data: values of the wrong type count as absent. */
export type Loose = Record<string, unknown>

export function record(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Converts seconds, milliseconds or a date string to milliseconds. Returns undefined if it is not a date. */
export function time(value: unknown): number | undefined {
  const given = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  const milliseconds =
    typeof given === 'string'
      ? Date.parse(given)
      : typeof given === 'number' && given > 0
        ? inMilliseconds(given)
        : undefined
  return milliseconds !== undefined && Math.abs(milliseconds) <= latestTime ? milliseconds : undefined
}

/** Seconds up to the year 5138 are smaller than milliseconds since March 1973. Nanoseconds are larger than both. */
function inMilliseconds(value: number): number {
  if (value > 1e16) return Math.round(value / 1e6)
  return Math.round(value < 1e11 ? value * 1000 : value)
}
