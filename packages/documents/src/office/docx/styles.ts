import { append, child, type Element, elements, fragment, insertChildren, valueOf } from '../../xml/edit-xml.ts'
import { nearestNote } from '../shared/nearest.ts'
import { declaration } from '../shared/package.ts'
import { type Docx, stylesOf, useWordPrefixes } from './document.ts'

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml'

/** Definitions for files that lack a style that new text needs. */
const definitions: Record<string, { id: string; xml: string }> = {
  ...Object.fromEntries(
    [32, 26, 24, 22, 22, 22, 20, 20, 20].map((size, index) => [
      `heading ${index + 1}`,
      {
        id: `Heading${index + 1}`,
        xml: `<w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:keepLines/><w:spacing w:before="${index === 0 ? 360 : 240}" w:after="80"/><w:outlineLvl w:val="${index}"/></w:pPr><w:rPr><w:b/><w:sz w:val="${size}"/><w:szCs w:val="${size}"/></w:rPr>`,
      },
    ]),
  ),
  title: {
    id: 'Title',
    xml: '<w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:rPr><w:b/><w:sz w:val="48"/><w:szCs w:val="48"/></w:rPr>',
  },
  quote: {
    id: 'Quote',
    xml: '<w:basedOn w:val="Normal"/><w:qFormat/><w:pPr><w:ind w:left="567" w:right="567"/></w:pPr><w:rPr><w:i/></w:rPr>',
  },
  code: {
    id: 'Code',
    xml: '<w:basedOn w:val="Normal"/><w:pPr><w:shd w:val="clear" w:color="auto" w:fill="F2F2F2"/><w:spacing w:after="0"/></w:pPr><w:rPr><w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:cs="Courier New"/><w:sz w:val="20"/></w:rPr>',
  },
  'list paragraph': {
    id: 'ListParagraph',
    xml: '<w:basedOn w:val="Normal"/><w:qFormat/><w:pPr><w:ind w:left="720"/><w:contextualSpacing/></w:pPr>',
  },
  'footnote text': { id: 'FootnoteText', xml: '<w:basedOn w:val="Normal"/><w:rPr><w:sz w:val="20"/></w:rPr>' },
}

/** The id of a paragraph style by its name. Adds common styles that a file lacks. */
export function ensureStyle(docx: Docx, name: string): string {
  const wanted = name.toLowerCase()
  for (const [id, style] of stylesOf(docx))
    if (style.kind === 'paragraph' && style.name.toLowerCase() === wanted) return id
  const definition = definitions[wanted]
  if (definition === undefined) throw new Error(`The file has no style ${JSON.stringify(name)}.`)
  let { id } = definition
  const used = stylesOf(docx)
  while (used.has(id)) id += '1'
  const root = stylesRoot(docx)
  append(
    root,
    ...fragment(`<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${wanted}"/>${definition.xml}</w:style>`),
  )
  return id
}

/** The id of a style that a person or model names by its id or name. */
export function findStyle(docx: Docx, wanted: string): string {
  const styles = [...stylesOf(docx)].filter(([, { kind }]) => kind === 'paragraph')
  const plain = wanted.toLowerCase().replace(/\s+/g, '')
  const found = styles.find(
    ([id, { name }]) => id.toLowerCase() === plain || name.toLowerCase().replace(/\s+/g, '') === plain,
  )
  if (found !== undefined) return found[0]
  const known = wanted.toLowerCase()
  if (definitions[known] !== undefined) return ensureStyle(docx, known)
  const names = styles.map(([, { name }]) => name)
  throw new Error(`The file has no paragraph style ${JSON.stringify(wanted)}.${nearestNote(wanted, names)}`)
}

/** The id of a character or table style, added if the file lacks it. */
export function ensureOtherStyle(
  docx: Docx,
  kind: 'character' | 'table',
  name: string,
  id: string,
  xml: string,
): string {
  for (const [known, style] of stylesOf(docx))
    if (style.kind === kind && style.name.toLowerCase() === name.toLowerCase()) return known
  append(
    stylesRoot(docx),
    ...fragment(`<w:style w:type="${kind}" w:styleId="${id}"><w:name w:val="${name}"/>${xml}</w:style>`),
  )
  return id
}

function stylesRoot(docx: Docx): Element {
  const { pkg, main } = docx
  let part = pkg.related(main, 'styles')
  if (part === undefined) {
    part = pkg.add(
      'word/styles.xml',
      `${declaration}<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style></w:styles>`,
      `${wordType}.styles+xml`,
    )
    pkg.relate(main, 'styles', part)
  }
  const root = pkg.root(part)
  useWordPrefixes(pkg, root)
  return root
}

/** A list definition for new items, and the id of one list that counts from `start`. */
export function newList(docx: Docx, isOrdered: boolean, start: number): string {
  const root = numberingRoot(docx)
  const ids = (local: string, name: string): number =>
    Math.max(0, ...elements(root, local).map((each) => Number(valueOf(each, name) ?? 0))) + 1
  const mark = isOrdered ? 'TroupeNumbers' : 'TroupeBullets'
  let abstract = elements(root, 'abstractNum').find((each) => valueOf(child(each, 'name'), 'val') === mark)
  if (abstract === undefined) {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const format = isOrdered ? (['decimal', 'lowerLetter', 'lowerRoman'][level % 3] ?? 'decimal') : 'bullet'
      const text = isOrdered ? `%${level + 1}.` : ['•', '◦', '▪'][level % 3]
      return `<w:lvl w:ilvl="${level}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="${720 * (level + 1)}" w:hanging="360"/></w:pPr></w:lvl>`
    })
    const id = ids('abstractNum', 'abstractNumId')
    ;[abstract] = fragment(
      `<w:abstractNum w:abstractNumId="${id}"><w:multiLevelType w:val="multilevel"/><w:name w:val="${mark}"/>${levels.join('')}</w:abstractNum>`,
    ) as [Element]
    const last = elements(root, 'abstractNum').at(-1)
    const at = last === undefined ? 0 : root.children.indexOf(last) + 1
    insertChildren(root, at, [abstract])
  }
  const id = ids('num', 'numId')
  const override = isOrdered ? `<w:lvlOverride w:ilvl="0"><w:startOverride w:val="${start}"/></w:lvlOverride>` : ''
  const [num] = fragment(
    `<w:num w:numId="${id}"><w:abstractNumId w:val="${valueOf(abstract, 'abstractNumId')}"/>${override}</w:num>`,
  ) as [Element]
  const lastNum = elements(root, 'num').at(-1) ?? elements(root, 'abstractNum').at(-1)
  insertChildren(root, root.children.indexOf(lastNum!) + 1, [num])
  return String(id)
}

function numberingRoot({ pkg, main }: Docx): Element {
  let part = pkg.related(main, 'numbering')
  if (part === undefined) {
    part = pkg.add(
      'word/numbering.xml',
      `${declaration}<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`,
      `${wordType}.numbering+xml`,
    )
    pkg.relate(main, 'numbering', part)
  }
  const root = pkg.root(part)
  useWordPrefixes(pkg, root)
  return root
}
