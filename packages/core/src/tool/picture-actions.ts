import { z } from 'zod'

const pixels = z.int().min(0).max(20_000)
const side = z.int().min(1).max(20_000)
const color = z
  .string()
  .regex(/^(#[0-9a-f]{3,8}|[a-z]{3,30}|transparent)$/i, 'a name such as "white", or #rrggbb')
  .optional()
const anchor = z
  .enum(['center', 'north', 'northeast', 'east', 'southeast', 'south', 'southwest', 'west', 'northwest'])
  .optional()
const place = { anchor, left: pixels.optional(), top: pixels.optional() }

/** One step of `ImageEdit`. Steps run in order, each on the result of the one before. */
export const pictureActionSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('crop'), left: pixels, top: pixels, width: side, height: side }),
  z.object({
    action: z.literal('resize'),
    width: side.optional(),
    height: side.optional(),
    fit: z.enum(['inside', 'cover', 'contain', 'fill']).default('inside'),
    background: color,
  }),
  z.object({ action: z.literal('rotate'), degrees: z.number().min(-360).max(360), background: color }),
  z.object({ action: z.literal('flip'), direction: z.enum(['horizontal', 'vertical']) }),
  z.object({
    action: z.literal('extend'),
    left: pixels.default(0),
    top: pixels.default(0),
    right: pixels.default(0),
    bottom: pixels.default(0),
    background: color,
  }),
  z.object({
    action: z.literal('compose'),
    image: z.string().min(1).max(4096).describe('Path of the image to put on top'),
    width: side.optional(),
    opacity: z.number().min(0).max(1).default(1),
    ...place,
  }),
  z.object({
    action: z.literal('text'),
    text: z.string().min(1).max(2000),
    size: z.int().min(4).max(2000).default(32).describe('Height of the letters in pixels'),
    color,
    font: z.string().max(100).default('sans'),
    width: side.optional().describe('Wraps lines at this width'),
    ...place,
  }),
  z.object({
    action: z.literal('adjust'),
    brightness: z.number().min(0).max(10).optional(),
    saturation: z.number().min(0).max(10).optional(),
    blur: z.number().min(0.3).max(100).optional(),
    sharpen: z.boolean().optional(),
    grayscale: z.boolean().optional(),
  }),
])
export type PictureAction = z.infer<typeof pictureActionSchema>

export const pictureFormats = ['png', 'jpeg', 'webp', 'avif', 'gif', 'tiff'] as const
export type PictureFormat = (typeof pictureFormats)[number]

export interface PictureRequest {
  /** Real path of the image. Absent: an empty canvas of this size. */
  path?: string | undefined
  canvas?: { width: number; height: number; background?: string | undefined } | undefined
  /** `image` of a compose step is a real path. */
  actions: readonly PictureAction[]
  format: PictureFormat
  /** From 1 to 100, for formats that lose detail. */
  quality?: number | undefined
}

export interface EditedPicture {
  bytes: Uint8Array
  width: number
  height: number
}

/** Edits images without a model (`ctx.pictures`), in a process that is killed when it takes too long. */
export interface PictureEditor {
  /** Rejects with a reason for the model. */
  edit(request: PictureRequest, signal: AbortSignal): Promise<EditedPicture>
}
