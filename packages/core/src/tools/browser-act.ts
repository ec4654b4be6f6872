import { z } from 'zod'
import { elementRef, findElements } from '../browser/outline.ts'
import { agentPage, pageDisplay, pageResult, type PageResult } from '../browser/page-result.ts'
import { defineTool, type PageAct, withModelText } from '../tool/tool.ts'

const maxCharacters = 8000

const input = z.object({
  url: z
    .string()
    .min(1)
    .max(2000)
    .describe('The URL of the open page, as last shown. Nothing happens if the page has since navigated elsewhere'),
  action: z
    .enum(['click', 'type', 'select', 'press', 'scroll', 'back'])
    .describe(
      '"type" replaces the contents of a field, "select" picks an option, "press" presses a key, "back" goes back',
    ),
  ref: elementRef.describe('The element. Required for click, type and select').optional(),
  text: z
    .string()
    .max(20_000)
    .describe(
      'The text to type, the option to pick, or the key to press, such as Enter or Control+A. For click, the visible words of the element instead of a ref',
    )
    .optional(),
  submit: z.boolean().describe('Press Enter after typing').optional(),
  direction: z.enum(['up', 'down']).describe('Scroll direction. Default down').optional(),
})
type Act = z.infer<typeof input>

export interface ActOutput extends PageResult {
  element?: string
}

export default defineTool({
  description: `Acts on the page that is open in the browser: clicks, types, picks options, presses keys, scrolls or goes back. Then shows the updated page. Use refs from the latest outline.
Links to other hosts are not followed; open them with BrowserSnapshot. Downloads, dialogs and file choosers are blocked.`,
  input,
  readOnly: false,
  deferred: true,
  group: 'browser',
  timeout: 120_000,
  needsApproval: true,
  touches: ({ url }) => [{ kind: 'url', url }],
  validate: inputProblem,
  title: (given) => titleOf(given),
  permission: (given) => ({ title: 'Interact with a web page', summary: given.url, content: actText(given) }),
  async preview(given, ctx) {
    if (given.ref === undefined) return undefined
    return actText(given, await agentPage(ctx).describe(given.ref, ctx))
  },
  async execute({ url, action, ...given }, ctx): Promise<ActOutput> {
    const page = agentPage(ctx)
    const origin = URL.parse(url)?.origin
    if (origin === undefined) throw new Error(`"${url.slice(0, 200)}" is not a URL. Give the URL of the open page.`)
    const { text: words, ...byWords } = given
    const isByWords = action === 'click' && given.ref === undefined && words !== undefined
    const rest = isByWords ? { ...byWords, ref: findRef(words, (await page.look(ctx)).outline) } : given
    const { element, ...look } = await page.act({ action, origin, ...rest } satisfies PageAct, ctx)
    const { output, text } = await pageResult({ look, page, room: maxCharacters }, ctx)
    const done = `Done: ${action}${element === undefined ? '' : ` ${element}`}.`
    return withModelText({ ...output, element }, `${done} The page now:\n${text}`)
  },
  display: (output, given) => ({ title: titleOf(given, output.element), ...pageDisplay(output) }),
})

function inputProblem({ action, ref, text }: Act): string | undefined {
  if (ref === undefined && ((action === 'click' && text === undefined) || action === 'type' || action === 'select'))
    return `To ${action}, give the ref of an element from the outline.`
  if (text === undefined && (action === 'type' || action === 'select' || action === 'press'))
    return `To ${action}, give "text".`
  return undefined
}

/** Returns the only element that contains these words, or the one that matches them exactly. */
function findRef(words: string, outline: Parameters<typeof findElements>[0]): string {
  const found = findElements(outline, { words })
  const exact = found.filter(({ text }) => text.includes(`"${words}"`))
  const [one, ...others] = exact.length > 0 ? exact : found
  if (one?.ref !== undefined && others.length === 0) return one.ref
  const what = one === undefined ? 'No element on the page has' : 'More than one element on the page has'
  throw new Error(`${what} the words "${truncate(words)}". Find the element with BrowserObserve and use its ref.`)
}

/** Leaves out typed text, which may be a password and stays in the input alone. */
function titleOf(
  { action, ref, text = '', direction = 'down' }: Act,
  element: string = ref ?? (action === 'click' ? `"${truncate(text)}"` : ''),
): string {
  switch (action) {
    case 'click':
      return `Click ${element}`
    case 'type':
      return `Type into ${element}`
    case 'select':
      return `Pick "${truncate(text)}" in ${element}`
    case 'press':
      return `Press ${truncate(text)}${element === '' ? '' : ` on ${element}`}`
    case 'scroll':
      return element === '' ? `Scroll ${direction}` : `Scroll to ${element}`
    case 'back':
      return 'Go back'
  }
}

function actText(given: Act, element?: string): string {
  const { action, text = '', submit } = given
  const typed = action === 'type' ? `: ${text}${submit === true ? '\nand press Enter' : ''}` : ''
  return `${titleOf(given, element)}${typed}\nin ${given.url}`
}

function truncate(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text
}
