import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { ImageModelV4 } from '@ai-sdk/provider'

/**
 * Not an AI: paints hills under a sun, deterministic for a prompt. Demonstrates image generation without an API key.
 */
export function demoPainter(modelId: string): ImageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'demo',
    modelId,
    maxImagesPerCall: 4,
    doGenerate({ prompt, n, size, aspectRatio, seed, files }) {
      const { width, height } = dimensions(size, aspectRatio)
      const images = Array.from({ length: n }, (_, index) =>
        paint(`${prompt ?? ''} ${seed ?? 0} ${index}`, width, height),
      )
      const warnings =
        files === undefined || files.length === 0
          ? []
          : [{ type: 'unsupported' as const, feature: 'images', details: 'The demo painter uses only the prompt.' }]
      return Promise.resolve({
        images,
        warnings,
        response: { timestamp: new Date(), modelId, headers: undefined },
      })
    },
  }
}

const maxSide = 1024

function dimensions(size: string | undefined, aspectRatio: string | undefined): { width: number; height: number } {
  const [width = 1, height = 1] = (size?.split('x') ?? aspectRatio?.split(':') ?? ['512', '512']).map(Number)
  const longest = Math.max(width, height, 1)
  const scale = size === undefined ? 512 / longest : Math.min(1, maxSide / longest)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

type Colour = readonly [number, number, number]

function paint(words: string, width: number, height: number): Uint8Array {
  const random = createHash('sha256').update(words).digest()
  const byte = (index: number): number => random[index % random.length] as number
  const colour = (index: number, light: number): Colour => [
    Math.round((byte(index) * 0.6 + light) / 1.6),
    Math.round((byte(index + 1) * 0.6 + light) / 1.6),
    Math.round((byte(index + 2) * 0.6 + light) / 1.6),
  ]
  const sky = colour(0, 220)
  const sun = { x: 0.15 + byte(3) / 364, y: 0.15 + byte(4) / 1020, radius: 0.06 + byte(5) / 5000 }
  const hills = [0, 1, 2].map((hill) => ({
    colour: colour(6 + hill * 4, 150 - hill * 55),
    base: 0.45 + hill * 0.17,
    waves: 1 + (byte(7 + hill * 4) % 4),
    shift: byte(8 + hill * 4) / 40,
  }))
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [across, down] = [x / width, y / height]
      const inSun = Math.hypot(across - sun.x, ((down - sun.y) * height) / width) < sun.radius
      const hill = hills.findLast(
        ({ base, waves, shift }) => down > base + 0.08 * Math.sin(across * waves * Math.PI * 2 + shift),
      )
      const [red, green, blue] = hill?.colour ?? (inSun ? ([255, 236, 170] as const) : shade(sky, down))
      rows.set([red, green, blue], y * (width * 3 + 1) + 1 + x * 3)
    }
  }
  return png(width, height, rows)
}

function shade([red, green, blue]: Colour, down: number): Colour {
  const paler = (value: number): number => Math.round(value + (255 - value) * down * 0.8)
  return [paler(red), paler(green), paler(blue)]
}

/** 8-bit RGB, with unfiltered rows. */
function png(width: number, height: number, rows: Buffer): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  frame.set(body, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}
