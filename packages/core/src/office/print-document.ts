import { Buffer } from 'node:buffer'
import type { HtmlRequest } from '../tool/documents.ts'
import type { ToolContext } from '../tool/tool.ts'

/** Extensions of files whose text can be printed. The layout of sheets and slides needs LibreOffice. */
export const printable: ReadonlySet<string> = new Set(['docx', 'docm', 'dotx', 'dotm', 'odt', 'rtf', 'doc'])

export const printedNote =
  'Printed with Chromium from the text, because LibreOffice is not installed: headings, lists and tables are kept; page layout, headers and footers are not.'

/** Makes a PDF of a text document without LibreOffice. Throws an Error for the model if nothing here can print. */
export async function printDocument(
  ctx: Pick<ToolContext, 'documents' | 'printer' | 'signal'>,
  request: HtmlRequest,
): Promise<Buffer> {
  const { documents, printer } = ctx
  if (documents?.html === undefined || printer?.isAvailable() !== true)
    throw new Error(
      'Neither LibreOffice nor Chromium is installed on this machine, so no PDF can be made. Ask the user to install one of them (on Debian: apt install libreoffice-writer-nogui, or apt install chromium).',
    )
  const html = await documents.html(request, ctx.signal)
  return Buffer.from(await printer.pdf(html, ctx.signal))
}
