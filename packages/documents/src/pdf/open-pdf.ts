import { open, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { PDFDocumentProxy } from 'pdfjs-dist'
import type { DocumentSource } from '../reader.ts'
import type { Layers, Ops } from './page-runs.ts'

export interface OpenPdf {
  document: PDFDocumentProxy
  ops: Ops
  layers: Layers | undefined
  /** The end of the file is missing. */
  isRecovered: boolean
  close(): Promise<void>
}

type Pdfjs = typeof import('pdfjs-dist')

/** The last document, since the next read usually continues with it. */
let last: { key: string; pdf: OpenPdf } | undefined

/** Opens a document for reading its text, or returns it if it is still open. Pictures are not decoded. */
export async function openPdf(source: DocumentSource): Promise<OpenPdf> {
  const { mtimeMs, ino, size } = await stat(source.path)
  const key = `${source.path}:${ino}:${size}:${mtimeMs}`
  if (last?.key === key) return last.pdf
  await closeLast()
  const pdf = await load(source, { maxImageSize: 1, useSystemFonts: true, fontExtraProperties: true })
  last = { key, pdf }
  return pdf
}

/** Opens a document for drawing its pages. The caller closes it. */
export function openForDrawing(source: DocumentSource): Promise<OpenPdf> {
  return load(source, { maxImageSize: mostPixels, canvasMaxAreaInBytes: mostPixels * 4 })
}

/** Larger pictures are left out when a page is drawn. */
const mostPixels = 64 * 2 ** 20

async function closeLast(): Promise<void> {
  const before = last
  last = undefined
  await before?.pdf.close()
}

/** Larger files are read in pieces. */
const wholeBytes = 32 * 2 ** 20

async function load(source: DocumentSource, options: object): Promise<OpenPdf> {
  try {
    return await loadFile(await openFile(source), options, false)
  } catch (error) {
    const recovered = (error as Error).name === 'PasswordException' ? undefined : await recover(source)
    if (recovered === undefined) throw openError(error as Error, source.name)
    const file = { parameters: { data: recovered }, close: () => Promise.resolve() }
    return await loadFile(file, options, true).catch((again: unknown) => {
      throw openError(again as Error, source.name)
    })
  }
}

async function loadFile(file: PdfFile, options: object, isRecovered: boolean): Promise<OpenPdf> {
  const pdfjs = await loadPdfjs()
  const folder = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
  const task = pdfjs.getDocument({
    ...file.parameters,
    ...options,
    cMapUrl: `${folder}/cmaps/`,
    standardFontDataUrl: `${folder}/standard_fonts/`,
    wasmUrl: `${folder}/wasm/`,
    iccUrl: `${folder}/iccs/`,
    enableXfa: false,
    verbosity: 0,
  })
  const close = async (): Promise<void> => {
    await task.destroy().catch(() => undefined)
    await file.close()
  }
  try {
    const document = await task.promise
    const layers = await document.getOptionalContentConfig().catch(() => undefined)
    return { document, ops: pdfjs.OPS, layers: layers as Layers | undefined, isRecovered, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A file cut off in the middle has no trailer, without which pdf.js finds nothing. */
async function recover(source: DocumentSource): Promise<Uint8Array | undefined> {
  if (source.size > wholeBytes) return undefined
  const bytes = await source.bytes(wholeBytes)
  const at = bytes.indexOf('/Catalog')
  const start = bytes.toString('latin1', Math.max(0, at - 500), Math.max(0, at))
  const object = [...start.matchAll(/(\d{1,9})\s+(\d{1,5})\s+obj\b/g)].at(-1)
  if (at === -1 || object === undefined) return undefined
  const trailer = `\nendstream\nendobj\ntrailer\n<< /Root ${object[1]} ${object[2]} R >>\nstartxref\n0\n%%EOF\n`
  return new Uint8Array(Buffer.concat([bytes, Buffer.from(trailer)]))
}

interface PdfFile {
  parameters: object
  close(): Promise<void>
}

async function openFile(source: DocumentSource): Promise<PdfFile> {
  if (source.size <= wholeBytes) {
    const bytes = await source.bytes(wholeBytes)
    return { parameters: { data: new Uint8Array(bytes) }, close: () => Promise.resolve() }
  }
  const pdfjs = await loadPdfjs()
  const handle = await open(source.path, 'r')
  const transport = new pdfjs.PDFDataRangeTransport(source.size, null)
  transport.requestDataRange = (begin: number, end: number) => {
    const bytes = new Uint8Array(end - begin)
    void handle.read(bytes, 0, bytes.length, begin).then(
      () => transport.onDataRange(begin, bytes),
      () => transport.onDataRange(begin, bytes),
    )
  }
  const parameters = { range: transport, disableAutoFetch: true, disableStream: true, rangeChunkSize: 2 ** 18 }
  return { parameters, close: () => handle.close() }
}

let loading: Promise<Pdfjs> | undefined

/** The worker code is loaded here, because this process is the worker. */
export function loadPdfjs(): Promise<Pdfjs> {
  loading ??= (async () => {
    const worker: unknown = await import('pdfjs-dist/legacy/build/pdf.worker.mjs' as string)
    Object.assign(globalThis, { pdfjsWorker: worker })
    return import('pdfjs-dist/legacy/build/pdf.mjs')
  })()
  return loading
}

function openError({ name, message }: Error, file: string): Error {
  if (name === 'PasswordException')
    return new Error(
      `${file} is encrypted and needs a password. Ask for an unprotected copy, or decrypt it with a command such as "qpdf --decrypt".`,
    )
  if (/encryption/i.test(message))
    return new Error(`${file} is encrypted for other readers, such as with a certificate. Ask for an unprotected copy.`)
  return new Error(
    `${file} is damaged or not a complete PDF: ${message.replace(/\.$/, '')}. Ask for another copy of the file.`,
  )
}
