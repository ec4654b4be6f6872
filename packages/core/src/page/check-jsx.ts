import {
  cutTitle,
  elementsIn,
  isInteractive,
  type JsxPage,
  type JsxProblem,
  readJsx,
  readPage,
  scriptTitle,
  type UiElement,
} from '@troupe/protocol'
import { unknownClasses } from './page-classes.ts'

export const maxJsxLength = 200_000

/**
 * A page of our components alone (`root`), a page of HTML (`page`), a page that only a browser can run (`script`), or
 * what is wrong with it.
 */
export type CheckedJsx =
  | { root: UiElement; page?: undefined; script?: undefined; problem?: undefined }
  | { root?: undefined; page: JsxPage; script?: undefined; problem?: undefined }
  | { root?: undefined; page?: undefined; script: { note: string }; problem?: undefined }
  | { root?: undefined; page?: undefined; script?: undefined; problem: JsxProblem }

export async function checkJsx(source: string): Promise<CheckedJsx> {
  if (source.length > maxJsxLength)
    return { problem: { message: `It has more than ${maxJsxLength} characters.`, line: 1, column: 1 } }
  const { root } = readJsx(source)
  if (root !== undefined) return { root }
  const { page, problem } = readPage(source)
  if (page !== undefined) return { page }
  if (!isInteractive(source)) return { problem }
  const invalid = await syntaxProblem(source)
  if (invalid !== undefined) return { problem: invalid }
  return { script: { note: unrendered(problem) } }
}

/** Returns why a browser cannot run the source. Loads the compiler on first use. */
async function syntaxProblem(source: string): Promise<JsxProblem | undefined> {
  const { transform } = await import('sucrase')
  try {
    transform(source, { transforms: ['jsx', 'typescript', 'imports'] })
    return undefined
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const [, message = text, line = '1', column = '1'] = /^(?:.*?: )?(.*) \((\d+):(\d+)\)$/s.exec(text) ?? []
    return { message: /[.!?]$/.test(message) ? message : `${message}.`, line: Number(line), column: Number(column) }
  }
}

function unrendered(problem: JsxProblem): string {
  return `The user sees this page after a click on Run. It has no still picture, because not all of it can be computed beforehand (${jsxProblemText(problem)}) If that is a mistake, fix it.`
}

/** Sentences for the model about what a valid page leaves out. */
export async function pageNotes({ page, script }: CheckedJsx): Promise<string[]> {
  if (script !== undefined) return [script.note]
  if (page === undefined) return []
  const { notes, classes } = page
  const unknown = await unknownClasses(classes)
  if (unknown.length === 0) return notes
  const shown = unknown.slice(0, 20).join(', ')
  const more = unknown.length > 20 ? ` and ${unknown.length - 20} more` : ''
  return [...notes, `Unknown classes were ignored: ${shown}${more}.`]
}

/** The page's own title: what it is called, or its first heading. Long ones are cut at a word. */
export function pageTitle(source: string): string | undefined {
  const { root } = readJsx(source)
  const title = root === undefined ? (readPage(source).page?.title ?? scriptTitle(source)) : titleIn(root)
  const text = title?.replaceAll(/\s+/g, ' ').trim().toWellFormed() ?? ''
  return text === '' ? undefined : cutTitle(text)
}

function titleIn(root: UiElement): string | undefined {
  for (const { type, attributes, children } of elementsIn(root)) {
    const { title } = attributes
    if (typeof title === 'string' && title !== '') return title
    if (/^(?:Heading|h[1-4])$/.test(type)) return children.filter((child) => typeof child === 'string').join('')
  }
  return undefined
}

/** Formats as "line 3, column 5: …". */
export function jsxProblemText({ message, line, column }: JsxProblem): string {
  return `line ${line}, column ${column}: ${message}`
}
