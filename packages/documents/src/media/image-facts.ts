import { oneLine } from '../text/markdown.ts'
import { z } from 'zod'

/** The fields that say something to a person. Others are left out. */
const exif = z.object({
  Make: z.string().optional().catch(undefined),
  Model: z.string().optional().catch(undefined),
  LensModel: z.string().optional().catch(undefined),
  Software: z.string().optional().catch(undefined),
  DateTimeOriginal: z.union([z.date(), z.string()]).optional().catch(undefined),
  CreateDate: z.union([z.date(), z.string()]).optional().catch(undefined),
  ExposureTime: z.number().optional().catch(undefined),
  FNumber: z.number().optional().catch(undefined),
  ISO: z.number().optional().catch(undefined),
  FocalLength: z.number().optional().catch(undefined),
  Orientation: z.union([z.string(), z.number()]).optional().catch(undefined),
  latitude: z.number().optional().catch(undefined),
  longitude: z.number().optional().catch(undefined),
  ImageDescription: z.string().optional().catch(undefined),
  Artist: z.string().optional().catch(undefined),
  Copyright: z.string().optional().catch(undefined),
  title: z.unknown().optional(),
  description: z.unknown().optional(),
  Headline: z.string().optional().catch(undefined),
  Caption: z.string().optional().catch(undefined),
})

/** Metadata that a camera and its owner wrote into a picture, as lines. */
export async function exifLines(bytes: Buffer): Promise<string[]> {
  const { default: exifr } = await import('exifr')
  const parsed: unknown = await exifr
    .parse(bytes, {
      tiff: true,
      exif: true,
      gps: true,
      iptc: true,
      xmp: true,
      icc: false,
      jfif: false,
      ihdr: false,
      mergeOutput: true,
    })
    .catch(() => undefined)
  const found = exif.safeParse(parsed)
  if (!found.success) return []
  const data = found.data
  const camera = oneLine([data.Make, data.Model].filter(Boolean).join(' '))
  const date = data.DateTimeOriginal ?? data.CreateDate
  const settings = [
    data.FocalLength !== undefined && `${round(data.FocalLength)} mm`,
    data.FNumber !== undefined && `f/${round(data.FNumber)}`,
    data.ExposureTime !== undefined &&
      data.ExposureTime > 0 &&
      (data.ExposureTime < 1 ? `1/${Math.round(1 / data.ExposureTime)} s` : `${round(data.ExposureTime)} s`),
    data.ISO !== undefined && `ISO ${data.ISO}`,
  ].filter((each) => each !== false)
  const orientation =
    data.Orientation === undefined || data.Orientation === 'Horizontal (normal)' || data.Orientation === 1
      ? ''
      : String(data.Orientation)
  const lines: [string, string | undefined][] = [
    ['Taken', date instanceof Date ? (Number.isNaN(date.getTime()) ? undefined : localTime(date)) : date],
    ['Camera', camera],
    ['Lens', data.LensModel],
    ['Settings', settings.join(', ')],
    [
      'Place',
      data.latitude === undefined || data.longitude === undefined
        ? undefined
        : `${data.latitude.toFixed(6)}, ${data.longitude.toFixed(6)}`,
    ],
    ['Orientation', orientation],
    ['Title', textValue(data.title) ?? data.Headline],
    ['Description', data.ImageDescription ?? data.Caption ?? textValue(data.description)],
    ['Artist', data.Artist],
    ['Copyright', data.Copyright],
    ['Software', data.Software],
  ]
  return lines.flatMap(([name, value]) =>
    value === undefined || oneLine(value) === '' ? [] : [`${name}: ${oneLine(value).slice(0, 1000)}`],
  )
}

/** Cameras write their local time, which the parser takes for that of this computer. */
function localTime(date: Date): string {
  const pad = (number: number): string => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

/** XMP has texts by language. */
function textValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null && 'value' in value && typeof value.value === 'string'
    ? value.value
    : undefined
}

function round(number: number): number {
  return Math.round(number * 10) / 10
}
