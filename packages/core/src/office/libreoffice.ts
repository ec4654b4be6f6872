import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { makeTemporaryFolder } from '../files/temporary-files.ts'
import { isProgram } from '../process/start-process.ts'
import { printable, printDocument } from './print-document.ts'
import { type ProgramContext, runProgram } from './run-program.ts'

export const noLibreOffice =
  'LibreOffice is not installed on this machine, so files cannot be converted, rendered or recalculated. Ask the user to install it (on Debian: apt install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui).'

/** The program of LibreOffice: `LIBREOFFICE_PATH`, then the usual places. Undefined if it is not installed. */
export function findLibreOffice(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['LIBREOFFICE_PATH']
  // An explicit path that is missing has no fallback.
  if (named !== undefined && named !== '') return isProgram(named) ? named : undefined
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
  const places = [
    ...folders.flatMap((folder) => [path.join(folder, 'soffice'), path.join(folder, 'libreoffice')]),
    '/usr/bin/soffice',
    '/Applications/LibreOffice.app/Contents/MacOS/soffice',
    ...installed('/opt'),
  ]
  return places.find(isProgram)
}

function installed(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith('libreoffice'))
      .map((name) => path.join(folder, name, 'program', 'soffice'))
  } catch {
    return []
  }
}

/** Formats that LibreOffice writes, by the extension of the file. */
const filters: Record<string, string> = {
  pdf: 'pdf',
  odt: 'odt',
  ods: 'ods',
  odp: 'odp',
  docx: 'docx:MS Word 2007 XML',
  xlsx: 'xlsx:Calc MS Excel 2007 XML',
  pptx: 'pptx:Impress MS PowerPoint 2007 XML',
  html: 'html',
  csv: 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false',
  txt: 'txt:Text (encoded):UTF8',
  rtf: 'rtf',
  png: 'png',
}

export const convertible: readonly string[] = Object.keys(filters)

const timeoutMs = 120_000

/** Converts bytes of an office file. Throws an Error for the model if LibreOffice is missing or refuses the file. */
export async function convertOffice(
  ctx: ProgramContext,
  source: { path: string } | { bytes: readonly Uint8Array[]; extension: string },
  to: string,
): Promise<Buffer> {
  return withConverted(ctx, source, to, (file) => readFile(file))
}

/** Like `convertOffice`, but hands over the file while it exists. */
export async function withConverted<Result>(
  ctx: ProgramContext,
  source: { path: string } | { bytes: readonly Uint8Array[]; extension: string },
  to: string,
  use: (file: string) => Promise<Result>,
): Promise<Result> {
  return withFolder(ctx, async (folder) => use(await convertIn(ctx, folder, source, to)))
}

export interface RenderedPage {
  number: number
  bytes: Buffer
}

const maxPages = 10

/** Pictures of pages, as PNG. `first` counts from 1. */
export async function renderOffice(
  ctx: ProgramContext,
  source: { path: string },
  { first, last }: { first: number; last: number },
): Promise<RenderedPage[]> {
  return withFolder(ctx, async (folder) => {
    const pdf =
      path.extname(source.path).toLowerCase() === '.pdf'
        ? await copied(source.path, path.join(folder, 'source.pdf'))
        : await convertIn(ctx, folder, source, 'pdf')
    const program = ['/usr/bin/pdftoppm', '/usr/local/bin/pdftoppm', '/opt/homebrew/bin/pdftoppm'].find(isProgram)
    if (program === undefined)
      throw new Error(
        'pdftoppm is not installed, so pages cannot be shown as pictures. Ask the user to install poppler-utils.',
      )
    const until = Math.min(last, first + maxPages - 1)
    const argv = [program, '-png', '-r', '80', '-f', String(first), '-l', String(until), pdf, path.join(folder, 'page')]
    const { output } = await runProgram(ctx, { argv, folder, timeoutMs })
    const names = (await readdir(folder)).filter((name) => /^page-?\d+\.png$/.test(name)).toSorted()
    if (names.length === 0) throw new Error(`There is no page ${first} to show. ${output.slice(0, 200)}`.trim())
    return Promise.all(
      names.map(async (name) => ({
        number: Number(/\d+/.exec(name)?.[0]),
        bytes: await readFile(path.join(folder, name)),
      })),
    )
  })
}

async function withFolder<Result>(
  { state }: ProgramContext,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await makeTemporaryFolder('office', state.isolation)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function copied(from: string, to: string): Promise<string> {
  await copyFile(from, to)
  return to
}

/** Two conversions on one profile fail, so each gets its own. */
async function convertIn(
  ctx: ProgramContext,
  folder: string,
  source: { path: string } | { bytes: readonly Uint8Array[]; extension: string },
  to: string,
): Promise<string> {
  const program = findLibreOffice()
  const filter = filters[to]
  if (filter === undefined)
    throw new Error(`Files cannot be converted to "${to}". Use one of: ${convertible.join(', ')}.`)
  const extension = 'path' in source ? path.extname(source.path).toLowerCase() : `.${source.extension}`
  const input = path.join(folder, `source${/^\.[a-z0-9]{1,5}$/.test(extension) ? extension : ''}`)
  if ('path' in source) await copyFile(source.path, input)
  else await writeFile(input, Buffer.concat(source.bytes))
  const [profile, out] = [path.join(folder, 'profile'), path.join(folder, 'out')]
  if (program === undefined) {
    if (to !== 'pdf' || !printable.has(extension.slice(1))) throw new Error(noLibreOffice)
    const printed = path.join(folder, 'printed.pdf')
    await writeFile(printed, await printDocument(ctx, { file: { path: input } }))
    return printed
  }
  await mkdir(path.join(profile, 'user'), { recursive: true })
  await mkdir(out)
  await writeFile(path.join(profile, 'user', 'registrymodifications.xcu'), settings)
  const argv = [
    program,
    `-env:UserInstallation=file://${profile}`,
    '--headless',
    '--norestore',
    '--nolockcheck',
    '--nologo',
    '--convert-to',
    filter,
    '--outdir',
    out,
    input,
  ]
  const { output, hasTimedOut } = await runProgram(ctx, { argv, folder, timeoutMs })
  if (hasTimedOut) throw new Error(`LibreOffice took longer than ${timeoutMs / 1000} seconds and was stopped.`)
  // Its exit code is 0 even if it could not load the file.
  const [made] = (await readdir(out)).filter((name) => name.startsWith('source'))
  if (made !== undefined) return path.join(out, made)
  const reason = /source file could not be loaded/i.test(output)
    ? 'it could not load the file, which may be damaged or encrypted'
    : output.replaceAll(folder, '').trim().slice(-300) || 'it gave no reason'
  throw new Error(`LibreOffice did not convert the file: ${reason}.`)
}

const item = (place: string, name: string, value: string): string =>
  `<item oor:path="${place}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`

/** No macros, no links to other files or the network. Formulas are computed on load. */
const settings = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${[
  item('/org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'),
  item('/org.openoffice.Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'),
  item('/org.openoffice.Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'),
  item('/org.openoffice.Office.Calc/Content/Update', 'Link', '1'),
  item('/org.openoffice.Office.Writer/Content/Update', 'Link', '0'),
  item('/org.openoffice.Office.Calc/Formula/Load', 'OOXMLRecalcMode', '0'),
  item('/org.openoffice.Office.Calc/Formula/Load', 'ODFRecalcMode', '0'),
].join('')}</oor:items>
`
