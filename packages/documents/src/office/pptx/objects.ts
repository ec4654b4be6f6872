import type { OfficeActionOf } from '@troupe/core'
import { append, below, type Element, fragment, valueOf } from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import { chartAddress, chartType, chartXml } from '../shared/chart-xml.ts'
import { parseInline } from '../shared/markdown.ts'
import { emuPerCm, fitPicture, readPicture } from '../shared/pictures.ts'
import { type Pptx, shapeTree, type Slide, slideAt, slideSize, usePrefixes } from './presentation.ts'
import { runsXml } from './text.ts'

interface Place {
  x?: number | undefined
  y?: number | undefined
  width?: number | undefined
  height?: number | undefined
}

const emu = (centimeters: number): number => Math.round(centimeters * emuPerCm)

export function addImage(pptx: Pptx, action: OfficeActionOf<'add_image'>): void {
  const slide = ready(pptx, action.slide)
  const picture = readPicture(pptx.pictures, action.path)
  const media = pptx.pkg.add(`ppt/media/image%.${picture.extension}`, picture.bytes, `image/${picture.extension}`)
  const id = pptx.pkg.relate(slide.part, 'image', media)
  const size = slideSize(pptx)
  const fit = fitPicture(picture, { width: size.width * 0.8, height: size.height * 0.7 })
  const ratio = picture.height / picture.width
  const width =
    action.width !== undefined
      ? emu(action.width)
      : action.height !== undefined
        ? Math.round(emu(action.height) / ratio)
        : fit.width
  const height = action.height !== undefined ? emu(action.height) : Math.round(width * ratio)
  const number = freeId(slide)
  append(
    shapeTree(slide),
    ...fragment(
      `<p:pic><p:nvPicPr><p:cNvPr id="${number}" name="Picture ${number}" descr="${escapeXml(action.alt ?? '')}"/><p:cNvPicPr><a:picLocks noChangeAspect="1"/></p:cNvPicPr><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="${id}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>${frame(pptx, action, { width, height }, 'a')}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
    ),
  )
}

export function addTable(pptx: Pptx, action: OfficeActionOf<'add_table'>): void {
  const slide = ready(pptx, action.slide)
  const columns = Math.max(1, ...action.rows.map((row) => row.length))
  const width = action.width === undefined ? Math.round(slideSize(pptx).width * 0.84) : emu(action.width)
  const rowHeight = 370_840
  const rows = action.rows.map((row) => {
    const cells = Array.from(
      { length: columns },
      (_, column) =>
        `<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p>${runsXml(parseInline(row[column] ?? ''))}</a:p></a:txBody><a:tcPr/></a:tc>`,
    )
    return `<a:tr h="${rowHeight}">${cells.join('')}</a:tr>`
  })
  const grid = `<a:gridCol w="${Math.floor(width / columns)}"/>`.repeat(columns)
  const table = `<a:tbl><a:tblPr firstRow="1" bandRow="1"><a:tableStyleId>{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}</a:tableStyleId></a:tblPr><a:tblGrid>${grid}</a:tblGrid>${rows.join('')}</a:tbl>`
  addFrame(
    pptx,
    slide,
    action,
    { width, height: rowHeight * rows.length },
    'Table',
    'http://schemas.openxmlformats.org/drawingml/2006/table',
    table,
  )
}

/** A chart with its data in a small workbook, so that it can be edited in PowerPoint. */
export function addSlideChart(
  pptx: Pptx,
  action: OfficeActionOf<'add_chart'>,
  workbookOf: (rows: (string | number)[][]) => Uint8Array,
): void {
  if (action.slide === undefined) throw new Error('"slide" is missing.')
  const slide = ready(pptx, action.slide)
  const { categories } = action
  if (!Array.isArray(categories)) throw new Error('"categories" must be a list on a slide.')
  const series = action.series.map(({ name, values }, index) => {
    if (!Array.isArray(values)) throw new Error('The values of a series must be a list of numbers on a slide.')
    const column = String.fromCharCode(66 + index)
    return {
      name: name ?? `Series ${index + 1}`,
      reference: `Sheet1!$${column}$2:$${column}$${values.length + 1}`,
      values,
    }
  })
  if (series.length > 24) throw new Error('A chart on a slide can have at most 24 series.')
  const rows = [
    ['', ...series.map(({ name }) => name)],
    ...categories.map((category, row) => [category, ...series.map(({ values }) => values[row] ?? '')]),
  ]
  const { pkg } = pptx
  const workbook = pkg.add(
    'ppt/embeddings/Microsoft_Excel_Sheet%.xlsx',
    workbookOf(rows),
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  )
  const chart = pkg.freeName('ppt/charts/chart%.xml')
  pkg.set(chart, '<x/>')
  pkg.setType(chart, chartType)
  const data = pkg.relate(chart, 'package', workbook)
  pkg.set(
    chart,
    chartXml({
      type: action.type,
      title: action.title,
      categories: { reference: `Sheet1!$A$2:$A$${categories.length + 1}`, values: categories.map(String) },
      series,
      workbook: data,
    }),
  )
  const id = pkg.relate(slide.part, 'chart', chart)
  const size = slideSize(pptx)
  const box = {
    width: action.width === undefined ? Math.round(size.width * 0.8) : emu(action.width),
    height: action.height === undefined ? Math.round(size.height * 0.6) : emu(action.height),
  }
  addFrame(pptx, slide, action, box, 'Chart', chartAddress, `<c:chart xmlns:c="${chartAddress}" r:id="${id}"/>`)
}

function addFrame(
  pptx: Pptx,
  slide: Slide,
  place: Place,
  size: { width: number; height: number },
  name: string,
  uri: string,
  content: string,
): void {
  const number = freeId(slide)
  append(
    shapeTree(slide),
    ...fragment(
      `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="${number}" name="${name} ${number}"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>${frame(pptx, place, size, 'p')}<a:graphic><a:graphicData uri="${uri}">${content}</a:graphicData></a:graphic></p:graphicFrame>`,
    ),
  )
}

/** Position and size. The middle of the slide unless given. */
function frame(
  pptx: Pptx,
  { x, y }: Place,
  { width, height }: { width: number; height: number },
  prefix: 'a' | 'p',
): string {
  const size = slideSize(pptx)
  const left = x === undefined ? Math.max(0, Math.round((size.width - width) / 2)) : emu(x)
  const top = y === undefined ? Math.max(0, Math.round((size.height - height) / 2)) : emu(y)
  return `<${prefix}:xfrm><a:off x="${left}" y="${top}"/><a:ext cx="${width}" cy="${height}"/></${prefix}:xfrm>`
}

function ready(pptx: Pptx, number: number): Slide {
  const slide = slideAt(pptx, number)
  usePrefixes(pptx, slide.root)
  return slide
}

function freeId(slide: Slide): number {
  const ids = below(slide.root, 'cNvPr').map((each: Element) => Number(valueOf(each, 'id') ?? 0) || 0)
  return Math.max(1, ...ids) + 1
}
