import { Buffer } from 'node:buffer'
import type {
  LanguageModelV4FilePart,
  LanguageModelV4ReasoningFilePart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'

/** A file of a message, as the AI SDK's `FileUIPart` and `ReasoningFileUIPart` have it. */
export interface MessageFile {
  url: string
  mediaType: string
  filename?: string
  providerReference?: Record<string, string>
  providerMetadata?: SharedV4ProviderOptions
}

/** Blobs become `troupe-blob:<sha256>`, data URLs their bytes; what no provider could fetch becomes a missing blob. */
export function projectFile(file: MessageFile): Pick<LanguageModelV4FilePart, 'data' | 'mediaType' | 'filename'> {
  const filename = file.filename?.trim()
  const inline = parseDataUrl(file.url)
  return {
    mediaType: legalType(inline?.mediaType) ?? legalType(file.mediaType) ?? unknownType,
    ...(filename !== undefined && filename !== '' && { filename: filename.toWellFormed() }),
    data: inline === undefined ? fileData(file) : { type: 'data', data: inline.base64 },
  }
}

export function projectReasoningFile(file: MessageFile): Pick<LanguageModelV4ReasoningFilePart, 'data' | 'mediaType'> {
  const { filename: _, data, mediaType } = projectFile({ url: file.url, mediaType: file.mediaType })
  return { mediaType, data: data as LanguageModelV4ReasoningFilePart['data'] }
}

/** What is said of a file whose kind nobody told. */
export const unknownType = 'application/octet-stream'

function fileData({ url, providerReference }: MessageFile): LanguageModelV4FilePart['data'] {
  if (providerReference !== undefined) return { type: 'reference', reference: providerReference }
  const sha256 = blobHash(url)
  if (sha256 !== undefined) return { type: 'url', url: new URL(`troupe-blob:${sha256}`) }
  const isWeb = /^https?:/i.test(url) && URL.canParse(url)
  return { type: 'url', url: new URL(isWeb ? url : 'troupe-blob:missing') }
}

/** The hash in a blob's address as messages hold it. */
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
