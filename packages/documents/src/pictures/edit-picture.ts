import type { EditedPicture, PictureAction, PictureRequest } from '@troupe/core'
import sharp, { type Sharp } from 'sharp'

/** 100 megapixels: more than any camera makes, and at most 400 MB in memory. */
const limitInputPixels = 100_000_000

/** Runs the steps in order. Throws an Error whose message tells the model what to do. */
export async function editPicture({ path, canvas, actions, format, quality }: PictureRequest): Promise<EditedPicture> {
  sharp.concurrency(1)
  sharp.cache(false)
  let picture = path === undefined ? emptyCanvas(canvas) : await load(path)
  for (const [index, action] of actions.entries()) {
    try {
      picture = await settle(await apply(picture, action))
    } catch (error) {
      throw new Error(`Step ${index + 1} (${action.action}) failed: ${(error as Error).message}`, { cause: error })
    }
  }
  const { data, info } = await picture.toFormat(format, quality === undefined ? {} : { quality }).toBuffer({
    resolveWithObject: true,
  })
  return { bytes: data, width: info.width, height: info.height }
}

async function load(path: string): Promise<Sharp> {
  try {
    // Turned as the camera was held. Later steps count pixels as a person sees them.
    return await settle(sharp(path, { limitInputPixels, failOn: 'error' }).rotate())
  } catch (error) {
    throw new Error(`The image could not be read: ${(error as Error).message}`, { cause: error })
  }
}

function emptyCanvas(
  { width, height, background = 'white' }: NonNullable<PictureRequest['canvas']> = { width: 1024, height: 1024 },
): Sharp {
  checkSize(width, height)
  return sharp({ create: { width, height, channels: 4, background } })
}

/** Sharp applies some operations in a fixed order, so each step starts from pixels. */
async function settle(picture: Sharp): Promise<Sharp> {
  const { data, info } = await picture.ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
}

async function apply(picture: Sharp, action: PictureAction): Promise<Sharp> {
  switch (action.action) {
    case 'crop':
      return crop(picture, action)
    case 'resize': {
      const { width, height, fit, background = 'transparent' } = action
      if (width === undefined && height === undefined) throw new Error('give "width", "height" or both.')
      const now = await picture.metadata()
      checkSize(width ?? (height! * now.width) / now.height, height ?? (width! * now.height) / now.width)
      return picture.resize({ width, height, fit, background })
    }
    case 'rotate':
      return picture.rotate(action.degrees, { background: action.background ?? 'transparent' })
    case 'flip':
      return action.direction === 'vertical' ? picture.flip() : picture.flop()
    case 'extend': {
      const { left, top, right, bottom, background = 'transparent' } = action
      const now = await picture.metadata()
      checkSize(now.width + left + right, now.height + top + bottom)
      return picture.extend({ left, top, right, bottom, background })
    }
    case 'compose':
      return compose(picture, action)
    case 'text':
      return write(picture, action)
    case 'adjust':
      return adjust(picture, action)
  }
}

/** Before the pixels are computed. */
function checkSize(width: number, height: number): void {
  if (width * height > limitInputPixels) throw new Error('the result would be larger than 100 megapixels.')
}

type Step<Name extends PictureAction['action']> = Extract<PictureAction, { action: Name }>

async function crop(picture: Sharp, { left, top, width, height }: Step<'crop'>): Promise<Sharp> {
  const size = await picture.metadata()
  if (left + width > size.width || top + height > size.height)
    throw new Error(`the area leaves the image, which has ${size.width} x ${size.height} pixels.`)
  return picture.extract({ left, top, width, height })
}

async function compose(picture: Sharp, step: Step<'compose'>): Promise<Sharp> {
  let top = await load(step.image)
  if (step.width !== undefined) top = await settle(top.resize({ width: step.width }))
  const mask = Buffer.from([255, 255, 255, Math.round(step.opacity * 255)])
  if (step.opacity < 1)
    top = top.composite([{ input: mask, raw: { width: 1, height: 1, channels: 4 }, tile: true, blend: 'dest-in' }])
  return overlay(picture, await top.png().toBuffer(), step)
}

async function write(picture: Sharp, step: Step<'text'>): Promise<Sharp> {
  const { text, size, color = 'black', font, width } = step
  const markup = `<span foreground="${toHex(color)}">${escapeMarkup(text)}</span>`
  const { width: room } = await picture.metadata()
  const drawn = await sharp({
    text: {
      text: markup,
      font: `${font.replace(/[^\p{L}\p{N} -]/gu, '')} ${size}px`,
      rgba: true,
      width: width ?? room,
      dpi: 72,
    },
  })
    .png()
    .toBuffer()
  return overlay(picture, drawn, step)
}

type Place = Pick<Step<'text'>, 'anchor' | 'left' | 'top'>

/** Puts an image on top. The part that leaves the picture is cut off. */
async function overlay(picture: Sharp, input: Buffer, place: Place): Promise<Sharp> {
  const below = await picture.metadata()
  const above = await sharp(input).metadata()
  const left = place.left ?? (place.top === undefined ? room(below.width - above.width, 'west', 'east', place) : 0)
  const top = place.top ?? (place.left === undefined ? room(below.height - above.height, 'north', 'south', place) : 0)
  const width = Math.min(above.width + Math.min(0, left), below.width - Math.max(0, left))
  const height = Math.min(above.height + Math.min(0, top), below.height - Math.max(0, top))
  if (width <= 0 || height <= 0)
    throw new Error(`the place is outside the image, which has ${below.width} x ${below.height} pixels.`)
  const part = { left: Math.max(0, -left), top: Math.max(0, -top), width, height }
  const cut = await sharp(input).extract(part).png().toBuffer()
  return picture.composite([{ input: cut, left: Math.max(0, left), top: Math.max(0, top) }])
}

/** Distance from the first edge. Negative if the image on top is larger. */
function room(free: number, start: string, end: string, { anchor = 'center' }: Place): number {
  if (anchor.includes(start)) return 0
  return anchor.includes(end) ? free : Math.round(free / 2)
}

function adjust(picture: Sharp, { brightness, saturation, blur, sharpen, grayscale }: Step<'adjust'>): Sharp {
  let next = picture
  if (brightness !== undefined || saturation !== undefined) next = next.modulate({ brightness, saturation })
  if (blur !== undefined) next = next.blur(blur)
  if (sharpen === true) next = next.sharpen()
  return grayscale === true ? next.grayscale() : next
}

/** Pango knows the names of colors, but no transparency in `foreground`. */
function toHex(color: string): string {
  return color.startsWith('#') ? color.slice(0, 7) : color
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
