import {
  cutTitle,
  elementsIn,
  type JsxPage,
  type JsxProblem,
  readJsx,
  readPage,
  type UiElement,
} from '@troupe/protocol'
import { unknownClasses } from './page-classes.ts'

export const maxJsxLength = 200_000

/** A page of our components alone (`root`), a page of HTML (`page`), or what is wrong with it. */
export type CheckedJsx =
  | { root: UiElement; page?: undefined; problem?: undefined }
  | { root?: undefined; page: JsxPage; problem?: undefined }
  | { root?: undefined; page?: undefined; problem: JsxProblem }

export function checkJsx(source: string): CheckedJsx {
  if (source.length > maxJsxLength)
    return { problem: { message: `It has more than ${maxJsxLength} characters.`, line: 1, column: 1 } }
  const { root } = readJsx(source)
  return root === undefined ? readPage(source) : { root }
}

/** Sentences for the model about what a valid page leaves out. */
export async function pageNotes({ notes, classes }: Pick<JsxPage, 'notes' | 'classes'>): Promise<string[]> {
  const unknown = await unknownClasses(classes)
  if (unknown.length === 0) return notes
  const shown = unknown.slice(0, 20).join(', ')
  const more = unknown.length > 20 ? ` and ${unknown.length - 20} more` : ''
  return [...notes, `Unknown classes were ignored: ${shown}${more}.`]
}

/** The page's own title: what it is called, or its first heading. Long ones are cut at a word. */
export function pageTitle({ page, root }: Pick<CheckedJsx, 'page' | 'root'>): string | undefined {
  const title = page === undefined ? root && titleIn(root) : page.title
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
