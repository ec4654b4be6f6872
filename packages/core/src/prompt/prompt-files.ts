import { Buffer } from 'node:buffer'
import path from 'node:path'
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningFilePart,
  LanguageModelV4TextPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { maxRequestBytes, type MediaFacts, mediaProblem } from '../files/file-kind.ts'
import type { Blobs } from '../tool/services.ts'
import {
  bytesOf,
  type Content,
  type File,
  type FileKind,
  type FileSupport,
  inlinePart,
  isSupported,
  kindOf,
  nameOf,
  note,
  text,
  unknownType,
  unsupportedReason,
} from './inline-file.ts'

/** Providers that accept file IDs. */
const keepsFiles = new Set(['openai', 'anthropic', 'google', 'xai'])

/**
 * Loads blob bytes into a prompt right before the call, and replaces files the model cannot take with text. A file that
 * the provider rejects would fail this call and every later one in the session. Text files become text, which every
 * model reads.
 */
export async function loadFiles(
  prompt: LanguageModelV4Prompt,
  blobs: Pick<Blobs, 'get'> | undefined,
  taker: FileSupport,
): Promise<LanguageModelV4Prompt> {
  if (!hasFiles(prompt)) return prompt
  const urls = (await taker.supportedUrls) ?? {}
  const loaded: LanguageModelV4Prompt = []
  for (const message of prompt) {
    if (message.role === 'system' || message.role === 'tool' || !message.content.some(isFile)) {
      loaded.push(message)
      continue
    }
    const content: Content[] = []
    for (const part of message.content) content.push(...(isFile(part) ? await loadPart(part) : [part]))
    loaded.push({ ...message, content } as typeof message)
  }
  return loaded

  async function loadPart(part: File): Promise<Content[]> {
    const fitted = await fit(part)
    // Omit images from reasoning without a note.
    if (part.type === 'reasoning-file') return fitted.type === 'text' ? [] : [fitted]
    const saved = fitted.type === 'file' ? await savedPath(part) : undefined
    return saved === undefined ? [fitted] : [text(`[${nameOf(part)} is saved at ${saved}]`), fitted]
  }

  /** Lets tools work with an attached file that the model sees. */
  async function savedPath(part: File): Promise<string | undefined> {
    const { attachments, sessionId = '' } = taker
    const filename = 'filename' in part ? part.filename : undefined
    if (attachments === undefined || filename === undefined || part.data.type !== 'url') return undefined
    const { protocol, pathname: sha256, search } = part.data.url
    return protocol === 'troupe-blob:' && search === ''
      ? attachments.pathOf({ sessionId, sha256, filename })
      : undefined
  }

  async function fit(part: File): Promise<Content> {
    const { accepts: takes = ['image', 'pdf'] } = taker
    const bytes = await bytesOf(part, blobs)
    if (bytes === 'missing') return text('[There was an attachment here, but its file no longer exists.]')
    if (bytes !== undefined) return inlinePart(part, bytes, takes, taker)
    const { data, mediaType } = part
    const kind = kindOf(mediaType)
    if (data.type === 'reference') {
      const [provider = ''] = taker.provider.split('.')
      const isOwn = keepsFiles.has(provider) && Object.hasOwn(data.reference, provider)
      return isOwn && takes.length > 0 ? part : note(part, 'it was uploaded to another provider')
    }
    const url = data.type === 'url' ? data.url.href : ''
    if (kind === undefined || !takes.includes(kind)) return note(part, unsupportedReason(kind), url)
    return isSupported(url, mediaType, urls) ? part : note(part, 'this provider does not open URLs', url)
  }
}

/** True if files could be why a prompt was rejected. */
export function hasFiles(prompt: LanguageModelV4Prompt): boolean {
  return prompt.some(({ role, content }) => role !== 'system' && role !== 'tool' && (content as Content[]).some(isFile))
}

function isFile(part: Content): part is File {
  return part.type === 'file' || part.type === 'reasoning-file'
}

interface MessageFile {
  url: string
  mediaType: string
  filename?: string
  providerReference?: Record<string, string>
  providerMetadata?: SharedV4ProviderOptions
}

/**
 * Blobs become `troupe-blob:<sha256>`, data URLs their bytes. Anything a provider could not fetch becomes a missing
 * blob.
 */
export function projectFile(file: MessageFile): Pick<LanguageModelV4FilePart, 'data' | 'mediaType' | 'filename'> {
  const filename = file.filename?.trim()
  const inline = parseDataUrl(file.url)
  return {
    mediaType: legalType(inline?.mediaType) ?? legalType(file.mediaType) ?? unknownType,
    ...(filename && { filename: filename.toWellFormed() }),
    data: inline === undefined ? fileData(file) : { type: 'data', data: inline.base64 },
  }
}

export function projectReasoningFile(file: MessageFile): Pick<LanguageModelV4ReasoningFilePart, 'data' | 'mediaType'> {
  const { filename: _, data, mediaType } = projectFile({ url: file.url, mediaType: file.mediaType })
  return { mediaType, data: data as LanguageModelV4ReasoningFilePart['data'] }
}

function fileData({ url, providerReference }: MessageFile): LanguageModelV4FilePart['data'] {
  if (providerReference !== undefined) return { type: 'reference', reference: providerReference }
  const sha256 = blobHash(url)
  if (sha256 !== undefined) return { type: 'url', url: new URL(`troupe-blob:${sha256}`) }
  const isWeb = /^https?:/i.test(url) && URL.canParse(url)
  return { type: 'url', url: new URL(isWeb ? url : 'troupe-blob:missing') }
}

export function blobHash(url: string): string | undefined {
  return /^\/ai\/blobs\/([0-9a-f]{64})$/.exec(url)?.[1]
}

function parseDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  if (!/^data:/i.test(url)) return undefined
  const comma = url.indexOf(',')
  const [mediaType = '', ...parameters] = url.slice(5, comma).split(';')
  const encoded = url.slice(comma + 1)
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64')
  const bytes = comma < 0 ? undefined : isBase64 ? Buffer.from(encoded, 'base64') : percentDecode(encoded)
  if (bytes === undefined || bytes.length === 0) return undefined
  return { mediaType, base64: bytes.toString('base64') }
}

function percentDecode(text: string): Buffer | undefined {
  try {
    return Buffer.from(decodeURIComponent(text))
  } catch {
    return undefined
  }
}

function legalType(mediaType: string | undefined): string | undefined {
  return mediaType !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : undefined
}

export interface ReadCall {
  toolCallId: string
  state: string
  output?: unknown
  providerExecuted?: boolean
}

interface ReadFile extends MediaFacts {
  /** Tells files apart. */
  id: string
  path: string
  /** Introduces the file to the model. */
  title: string
  blob: string
  mediaType: string
}

/** With more files, some providers accept only small ones. */
const maxFiles = 20

export interface ReadFiles {
  /** Sent as a user message after the results, since few providers accept files in a result. */
  content(call: ReadCall): (LanguageModelV4TextPart | LanguageModelV4FilePart)[]
  /** Reason that a call's file is not shown, appended to the result text. */
  note(call: ReadCall): string | undefined
}

/** Shows only the newest files, since request size is limited. */
export function projectReadFiles(
  messages: readonly { parts: readonly object[] }[],
  takes: readonly FileKind[],
  /** Returns the description of an image, by hash. */
  describe: (sha256: string) => string | undefined = () => undefined,
): ReadFiles {
  const shown = takes.length === 0 ? new Set<string>() : newestFiles(messages, takes)
  return {
    content(call) {
      const files = readFileResults(call).filter(({ id }) => shown.has(id))
      return files.flatMap(({ title, path: name, blob, mediaType }) => [
        { type: 'text' as const, text: `[${title}]` },
        {
          type: 'file' as const,
          mediaType,
          filename: path.basename(name),
          // The mark tells it from an attachment: it is in the workspace already.
          data: { type: 'url' as const, url: new URL(`troupe-blob:${blob}?read`) },
        },
      ])
    },
    note(call) {
      const files = readFileResults(call)
      const hidden = files.filter((file) => !shown.has(file.id) && mediaProblem(file) === undefined)
      const described = takes.includes('image') ? [] : files.flatMap(({ blob }) => describe(blob) ?? [])
      const [file] = hidden
      if (file === undefined) return described.length === 0 ? undefined : described.join('\n')
      const it = hidden.length === 1 ? 'it' : 'them'
      if (!takes.includes(file.kind)) {
        const why = `You cannot see ${it}: this model does not accept ${file.kind === 'pdf' ? 'PDFs' : 'images'}.`
        return [why, ...described].join('\n')
      }
      return hidden.length === 1
        ? 'It is no longer shown, because you read others after it. Read it again to see it.'
        : `${hidden.length} of the pictures are no longer shown, because you read others after them. Read them again to see them.`
    },
  }
}

function newestFiles(messages: readonly { parts: readonly object[] }[], takes: readonly FileKind[]): Set<string> {
  const shown = new Set<string>()
  let bytes = 0
  for (const { parts } of messages.toReversed()) {
    for (const part of parts.toReversed()) {
      const files = 'toolCallId' in part ? readFileResults(part as ReadCall) : []
      for (const file of files) {
        if (!takes.includes(file.kind) || mediaProblem(file) !== undefined) continue
        bytes += file.size
        if (shown.size === maxFiles || bytes > maxRequestBytes) return shown
        shown.add(file.id)
      }
    }
  }
  return shown
}

/** Files that a result shows: one, or the pictures of a document's pages. */
export function readFileResults({ toolCallId, state, output, providerExecuted }: ReadCall): ReadFile[] {
  if (state !== 'output-available' || providerExecuted === true) return []
  if (typeof output !== 'object' || output === null) return []
  const { kind, path: given, images } = output as Record<string, unknown>
  const name = typeof given === 'string' && given !== '' ? given.toWellFormed() : 'a file'
  if (kind === 'image' || kind === 'pdf') {
    const title = `The ${kind === 'pdf' ? 'PDF' : kind} you read: ${name}`
    return readFile(output, { id: toolCallId, kind, path: name, title })
  }
  if ((kind !== 'document' && kind !== 'office') || !Array.isArray(images)) return []
  return images.slice(0, maxFiles).flatMap((image: unknown, index) => {
    if (typeof image !== 'object' || image === null) return []
    const anchor = 'anchor' in image && typeof image.anchor === 'string' ? `, ${image.anchor.toWellFormed()}` : ''
    const id = `${toolCallId}:${index}`
    return readFile(image, { id, kind: 'image', path: name, title: `${name}${anchor}` })
  })
}

function readFile(stored: object, base: Pick<ReadFile, 'id' | 'kind' | 'path' | 'title'>): ReadFile[] {
  const { blob, mediaType, size, width, height } = stored as Record<string, unknown>
  if (typeof blob !== 'string' || !/^[0-9a-f]{64}$/.test(blob)) return []
  return [
    {
      ...base,
      blob,
      mediaType: typeof mediaType === 'string' ? mediaType : 'application/octet-stream',
      size: typeof size === 'number' ? size : 0,
      width: typeof width === 'number' ? width : undefined,
      height: typeof height === 'number' ? height : undefined,
    },
  ]
}
