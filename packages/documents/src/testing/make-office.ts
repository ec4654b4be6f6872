import { makeZip } from './make-zip.ts'

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** `[id, type, target]`, or with an address outside as target and `true`. */
export type MadeRelationship = readonly [id: string, type: string, target: string, isExternal?: boolean]

export function relationshipsXml(relationships: readonly MadeRelationship[]): string {
  const items = relationships.map(
    ([id, type, target, isExternal = false]) =>
      `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"${isExternal ? ' TargetMode="External"' : ''}/>`,
  )
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`
}

/** A Word document whose body is this XML. */
export function makeWord(
  body: string,
  parts: Readonly<Record<string, string | Uint8Array>> = {},
  relationships: readonly MadeRelationship[] = [],
): Buffer {
  return makeZip({
    '[Content_Types].xml':
      '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': relationshipsXml([['rId1', 'officeDocument', 'word/document.xml']]),
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relationshipsXml(relationships),
    ...parts,
  })
}

/** A presentation with these slides, each the XML of its shapes. */
export function makeSlides(
  slides: readonly string[],
  parts: Readonly<Record<string, string | Uint8Array>> = {},
): Buffer {
  const names = slides.map((_, index) => `ppt/slides/slide${index + 1}.xml`)
  return makeZip({
    '[Content_Types].xml':
      '<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
    '_rels/.rels': relationshipsXml([['rId1', 'officeDocument', 'ppt/presentation.xml']]),
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${names
      .map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationshipsXml(
      names.map((name, index) => [`rId${index + 1}`, 'slide', name.slice('ppt/'.length)]),
    ),
    ...Object.fromEntries(names.map((name, index) => [name, slides[index]!])),
    ...parts,
  })
}
