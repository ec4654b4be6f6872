import type { Canvas } from '@napi-rs/canvas'
import type { DocumentImage } from '@troupe/core'
import type { OpenPdf } from './open-pdf.ts'

/** Longest side that models see in full. */
const imageSide = 1568
/** Tesseract wants letters at least 20 pixels high. */
const scanSide = 2400
/** Rendering is stopped after this time. Some maps take minutes. */
const drawMs = 15_000
/** Pictures that are larger as PNG are sent as JPEG. */
const largePng = 1_000_000

/** Draws a page for a model that sees. */
export async function drawImage(pdf: OpenPdf, number: number): Promise<DocumentImage> {
  const canvas = await drawPage(pdf, number, { side: imageSide })
  const png = await canvas.encode('png')
  const isLarge = png.length > largePng
  return {
    anchor: `p. ${number}`,
    bytes: isLarge ? await canvas.encode('jpeg', 85) : png,
    mediaType: isLarge ? 'image/jpeg' : 'image/png',
    width: canvas.width,
    height: canvas.height,
  }
}

/** Draws a page for text recognition. Undefined if the page is blank. */
export async function drawScan(pdf: OpenPdf, number: number): Promise<Uint8Array | undefined> {
  const canvas = await drawPage(pdf, number, { side: scanSide })
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  return lightRange(data) < 24 ? undefined : canvas.encode('png')
}

/** Draws at `scale` pixels per point, or so that the longest side has `side` pixels. */
export async function drawPage(
  { document }: OpenPdf,
  number: number,
  { scale, side = imageSide, ms = drawMs }: { scale?: number; side?: number; ms?: number },
): Promise<Canvas> {
  const page = await document.getPage(number)
  const plain = page.getViewport({ scale: 1 })
  const most = side / Math.max(1, plain.width, plain.height)
  const viewport = page.getViewport({ scale: scale === undefined ? most : Math.min(scale, most) })
  const { createCanvas } = await import('@napi-rs/canvas')
  const canvas = createCanvas(Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height)))
  const context = canvas.getContext('2d')
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  // pdf.js expects a canvas of a browser, which this one behaves like.
  const task = page.render({ canvas: null, canvasContext: context as never, viewport })
  // Without a turn of the event loop between its steps, pdf.js would draw on while the timer waits.
  task.onContinue = (next: () => void) => void setImmediate(next)
  const timer = setTimeout(() => task.cancel(), ms)
  try {
    await task.promise
  } catch (error) {
    if ((error as Error).name !== 'RenderingCancelledException') throw error
    throw new Error(`Drawing page ${number} took longer than ${ms / 1000} seconds. Read its text instead.`)
  } finally {
    clearTimeout(timer)
    page.cleanup()
  }
  return canvas
}

/** Difference between the lightest and the darkest pixel, from 0 to 255. */
export function lightRange(data: Uint8ClampedArray): number {
  let darkest = 255
  let lightest = 0
  for (let at = 0; at < data.length; at += 4) {
    const light = ((data[at] as number) * 2 + (data[at + 1] as number) * 5 + (data[at + 2] as number)) / 8
    if (light < darkest) darkest = light
    if (light > lightest) lightest = light
  }
  return lightest - darkest
}
