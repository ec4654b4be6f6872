import { declaration } from '../shared/package.ts'

const kinds = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const types = 'application/vnd.openxmlformats-officedocument.presentationml'
const spaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${kinds}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

interface Box {
  type: string
  index?: number
  name: string
  at: [x: number, y: number, width: number, height: number]
}

const title: Box = { type: 'title', name: 'Title', at: [838_200, 365_125, 10_515_600, 1_325_563] }
const body: Box = { type: 'body', index: 1, name: 'Content', at: [838_200, 1_825_625, 10_515_600, 4_351_338] }
const layouts: { name: string; type: string; boxes: Box[] }[] = [
  {
    name: 'Title Slide',
    type: 'title',
    boxes: [
      { type: 'ctrTitle', name: 'Title', at: [1_524_000, 1_122_363, 9_144_000, 2_387_600] },
      { type: 'subTitle', index: 1, name: 'Subtitle', at: [1_524_000, 3_602_038, 9_144_000, 1_655_762] },
    ],
  },
  { name: 'Title and Content', type: 'obj', boxes: [title, { ...body, type: 'obj' }] },
  {
    name: 'Two Content',
    type: 'twoObj',
    boxes: [
      title,
      { type: 'obj', index: 1, name: 'Left', at: [838_200, 1_825_625, 5_181_600, 4_351_338] },
      { type: 'obj', index: 2, name: 'Right', at: [6_172_200, 1_825_625, 5_181_600, 4_351_338] },
    ],
  },
  { name: 'Title Only', type: 'titleOnly', boxes: [title] },
  { name: 'Blank', type: 'blank', boxes: [] },
]

/** The parts of a wide presentation with five layouts and no slides. */
export function blankPptx(): Record<string, string> {
  const numbers = layouts.map((_, index) => index + 1)
  const parts: Record<string, string> = {
    '[Content_Types].xml': `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/ppt/presentation.xml" ContentType="${types}.presentation.main+xml"/><Override PartName="/ppt/slideMasters/slideMaster1.xml" ContentType="${types}.slideMaster+xml"/>${numbers.map((number) => `<Override PartName="/ppt/slideLayouts/slideLayout${number}.xml" ContentType="${types}.slideLayout+xml"/>`).join('')}<Override PartName="/ppt/theme/theme1.xml" ContentType="application/vnd.openxmlformats-officedocument.theme+xml"/></Types>`,
    '_rels/.rels': relationships([['officeDocument', 'ppt/presentation.xml']]),
    'ppt/presentation.xml': `${declaration}<p:presentation ${spaces}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationships([
      ['slideMaster', 'slideMasters/slideMaster1.xml'],
      ['theme', 'theme/theme1.xml'],
    ]),
    'ppt/slideMasters/slideMaster1.xml': `${declaration}<p:sldMaster ${spaces}><p:cSld><p:bg><p:bgPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>${tree([title, body])}</p:cSld><p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/><p:sldLayoutIdLst>${numbers.map((number) => `<p:sldLayoutId id="${2_147_483_648 + number}" r:id="rId${number}"/>`).join('')}</p:sldLayoutIdLst><p:txStyles><p:titleStyle><a:lvl1pPr algn="l"><a:defRPr sz="4000" b="1"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mj-lt"/></a:defRPr></a:lvl1pPr></p:titleStyle><p:bodyStyle>${levels()}</p:bodyStyle><p:otherStyle/></p:txStyles></p:sldMaster>`,
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relationships([
      ...numbers.map((number): [string, string] => ['slideLayout', `../slideLayouts/slideLayout${number}.xml`]),
      ['theme', '../theme/theme1.xml'],
    ]),
    'ppt/theme/theme1.xml': theme(),
  }
  for (const [index, { name, type, boxes }] of layouts.entries()) {
    parts[`ppt/slideLayouts/slideLayout${index + 1}.xml`] =
      `${declaration}<p:sldLayout ${spaces} type="${type}" preserve="1"><p:cSld name="${name}">${tree(boxes)}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>`
    parts[`ppt/slideLayouts/_rels/slideLayout${index + 1}.xml.rels`] = relationships([
      ['slideMaster', '../slideMasters/slideMaster1.xml'],
    ])
  }
  return parts
}

function relationships(list: readonly [kind: string, target: string][]): string {
  const items = list.map(
    ([kind, target], index) => `<Relationship Id="rId${index + 1}" Type="${kinds}/${kind}" Target="${target}"/>`,
  )
  return `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`
}

function tree(boxes: readonly Box[]): string {
  const shapes = boxes.map(({ type, index, name, at: [x, y, width, height] }, number) => {
    const mark = `${type === 'obj' ? '' : ` type="${type}"`}${index === undefined ? '' : ` idx="${index}"`}`
    return `<p:sp><p:nvSpPr><p:cNvPr id="${number + 2}" name="${name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph${mark}/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr${type === 'ctrTitle' ? ' anchor="b"' : ''}><a:normAutofit/></a:bodyPr><a:lstStyle>${type === 'subTitle' ? '<a:lvl1pPr marL="0" indent="0"><a:buNone/><a:defRPr sz="2400"/></a:lvl1pPr>' : ''}</a:lstStyle><a:p/></p:txBody></p:sp>`
  })
  return `<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shapes.join('')}</p:spTree>`
}

function levels(): string {
  return [2800, 2400, 2000, 1800, 1800, 1800, 1800, 1800, 1800]
    .map(
      (size, index) =>
        `<a:lvl${index + 1}pPr marL="${228_600 + 457_200 * index}" indent="-228600"><a:spcBef><a:spcPts val="600"/></a:spcBef><a:buFont typeface="Arial"/><a:buChar char="•"/><a:defRPr sz="${size}"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl${index + 1}pPr>`,
    )
    .join('')
}

function theme(): string {
  const colors: Record<string, string> = {
    dk1: '000000',
    lt1: 'FFFFFF',
    dk2: '44546A',
    lt2: 'E7E6E6',
    accent1: '4472C4',
    accent2: 'ED7D31',
    accent3: 'A5A5A5',
    accent4: 'FFC000',
    accent5: '5B9BD5',
    accent6: '70AD47',
    hlink: '0563C1',
    folHlink: '954F72',
  }
  const scheme = Object.entries(colors).map(([name, value]) => `<a:${name}><a:srgbClr val="${value}"/></a:${name}>`)
  const font = '<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>'
  const fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
  return `${declaration}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">${scheme.join('')}</a:clrScheme><a:fontScheme name="Plain"><a:majorFont>${font}</a:majorFont><a:minorFont>${font}</a:minorFont></a:fontScheme><a:fmtScheme name="Plain"><a:fillStyleLst>${fill.repeat(3)}</a:fillStyleLst><a:lnStyleLst>${`<a:ln w="6350">${fill}</a:ln>`.repeat(3)}</a:lnStyleLst><a:effectStyleLst>${'<a:effectStyle><a:effectLst/></a:effectStyle>'.repeat(3)}</a:effectStyleLst><a:bgFillStyleLst>${fill.repeat(3)}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`
}
