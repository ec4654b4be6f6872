import { makeZip } from '../../../documents/src/testing/make-zip.ts'

/** Creates a ZIP archive of these texts. `size` is a false length. */
export function zip(files: Record<string, string>, size?: number): ArrayBuffer {
  return new Uint8Array(makeZip(files, { size })).buffer
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export function workbook(cells: string): Record<string, string> {
  return {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Sums" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${cells}</sheetData></worksheet>`,
  }
}

export const cell = (place: string, said: string) => `<c r="${place}" t="inlineStr"><is><t>${said}</t></is></c>`
