import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import type { AttachedFile, Attachments, Blobs, Documents, DocumentText, Transcription } from '@troupe/core'

/** Longest text of a document in a prompt. It is sent with every request, so longer documents are only introduced. */
const wholeCharacters = 30_000
const introCharacters = 6000
const outlineCharacters = 6000
const keptTexts = 100

/**
 * Makes attached files readable for models and tools. A tool finds each one as a file in the folder of its chat; a
 * model that cannot take the file gets its text.
 */
export function createAttachments(options: {
  home: string
  blobs: { session(sessionId: string): Blobs }
  documents: Documents
  transcription?: Pick<Transcription, 'model'>
}): Attachments {
  const { home, blobs, documents, transcription } = options
  const texts = new Map<string, Promise<Described | undefined>>()

  const attachments: Attachments = {
    pathOf(file) {
      return saveFile(
        path.join(home, 'sessions', file.sessionId, 'output', 'attachments'),
        file,
        blobs.session(file.sessionId),
      )
    },
    async textOf(file, signal) {
      const saved = await attachments.pathOf(file)
      if (saved === undefined) return undefined
      const described = await describe(file, saved, signal)
      if (described === undefined) return undefined
      const text = formatFile(file.filename, saved, described)
      return (await hasWords(described)) ? `${text}\n[Use Transcribe with this path for the spoken words.]` : text
    },
  }
  return attachments

  async function hasWords(described: Described): Promise<boolean> {
    const isRecording = 'text' in described && /^(audio|video)$/.test(described.text.format)
    return isRecording && (await transcription?.model()) !== undefined
  }

  /** Documents are immutable, so each is converted once. */
  async function describe(file: AttachedFile, saved: string, signal?: AbortSignal): Promise<Described | undefined> {
    const key = `${file.sha256} ${path.extname(file.filename).toLowerCase()}`
    const known = texts.get(key)
    if (known !== undefined) {
      texts.delete(key)
      texts.set(key, known)
      return known
    }
    const reading = readDocument(documents, { path: saved, name: file.filename || undefined }, signal)
    texts.set(key, reading)
    for (const oldest of texts.keys()) {
      if (texts.size <= keptTexts) break
      texts.delete(oldest)
    }
    try {
      return await reading
    } catch (error) {
      texts.delete(key)
      throw error
    }
  }
}

type Described = { text: DocumentText; outline?: string } | { title: string; problem: string }

async function readDocument(
  documents: Documents,
  file: { path: string; name?: string | undefined },
  signal?: AbortSignal,
): Promise<Described | undefined> {
  const format = await documents.identify(file, signal)
  if (format === undefined) return undefined
  try {
    const text = await documents.read(file, {}, signal)
    if (isWhole(text)) return { text }
    const { text: outline } = await documents.read(file, { outline: true }, signal)
    return { text, outline }
  } catch (error) {
    signal?.throwIfAborted()
    return { title: format.title, problem: (error as Error).message }
  }
}

function isWhole({ text, next, images }: DocumentText): boolean {
  return next === undefined && images === undefined && text.length <= wholeCharacters
}

function formatFile(filename: string, saved: string, described: Described): string {
  const name = filename || path.basename(saved)
  if ('problem' in described)
    return `[The file ${name} is ${described.title}, saved at ${saved}. It could not be read: ${described.problem}]`
  const { text: document, outline = '' } = described
  const { title, facts, notes = [], text } = document
  const head = `The file ${name} is ${title} (${facts}), saved at ${saved}.`
  if (isWhole(document)) return [`[${head}]`, ...notes, '', text, `[End of ${name}]`].join('\n')
  const isUseful = outline !== '' && outline.length <= outlineCharacters && !text.startsWith(outline)
  return [
    `[${head} It is long, so only its beginning is shown. Use Read with this path for the rest.]`,
    ...notes,
    ...(isUseful ? ['', outline] : []),
    '',
    cutAtLine(text, introCharacters),
    `[End of the beginning of ${name}]`,
  ].join('\n')
}

function cutAtLine(text: string, most: number): string {
  if (text.length <= most) return text
  const end = text.lastIndexOf('\n', most)
  return text.slice(0, end > most / 2 ? end : most).toWellFormed()
}

/** Saves the blob as a file that tools can read. The name is the same on every turn. */
async function saveFile(folder: string, { sha256, filename }: AttachedFile, blobs: Blobs): Promise<string | undefined> {
  const file = path.join(folder, `${sha256.slice(0, 8)}-${safeName(filename)}`)
  if ((await stat(file).catch(() => undefined))?.isFile() === true) return file
  const blob = await blobs.get(sha256)
  if (blob === undefined) return undefined
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const part = path.join(folder, `.${randomUUID()}.part`)
  try {
    await writeFile(part, blob.bytes, { mode: 0o600, flag: 'wx' })
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return file
}

/** Keeps letters, digits and the extension, and nothing that a shell or a file system reads differently. */
function safeName(filename: string): string {
  const { name, ext } = path.parse(path.basename(filename.replaceAll('\\', '/')))
  const clean = (text: string): string => text.normalize('NFC').replace(/[^\p{L}\p{N}._-]+/gu, '_')
  const cut = Array.from(clean(name))
    .slice(0, 60)
    .join('')
    .replace(/^[.-]+/, '')
  return `${cut || 'file'}${Array.from(clean(ext)).slice(0, 16).join('')}`
}
