import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makePdf } from '../testing/make-pdf.ts'
import { drawPage } from './draw-page.ts'
import { openForDrawing } from './open-pdf.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'draw-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('drawing a page ends at its time limit', async () => {
  // Gradients over the whole page are few operations that take long to draw.
  const gradient =
    '/ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 600 800] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1 >>'
  const bytes = makePdf([{ content: '/S1 sh\n'.repeat(20_000), resources: `/Shading << /S1 << ${gradient} >> >>` }])
  const file = path.join(folder, 'long.pdf')
  writeFileSync(file, bytes)
  const pdf = await openForDrawing({
    path: file,
    name: 'long.pdf',
    size: bytes.length,
    bytesAt: (from, length) => Promise.resolve(Buffer.from(bytes.subarray(from, from + length))),
    bytes: () => Promise.resolve(Buffer.from(bytes)),
    isLate: () => false,
  })
  try {
    await expect(drawPage(pdf, 1, { ms: 300 })).rejects.toThrow('Drawing page 1 took longer than 0.3 seconds.')
  } finally {
    await pdf.close()
  }
})
