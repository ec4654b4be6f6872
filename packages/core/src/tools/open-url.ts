import { z } from 'zod'
import { askPage, pageAddress, timeoutSec } from '../page/ask-page.ts'
import { defineTool } from '../tool/tool.ts'

const input = z.object({
  url: z.string().min(1).max(2000).describe('The URL. https:// is added if there is no scheme'),
  title: z.string().max(200).describe('The title of the tab').optional(),
  timeoutSec,
})

const opened = z.object({
  url: z.string().max(4000),
  viewKey: z.string().max(4000),
  /** False: it could not be read. Absent: loading cannot be observed. */
  loaded: z.boolean().optional(),
  note: z.string().max(2000).optional(),
})

export default defineTool({
  description: `Opens a web page for the user in a panel next to the chat, as readable text with a link to the original. To read a page yourself, use WebFetch. Waits until the page has loaded, or says that loading cannot be observed.`,
  input,
  readOnly: true,
  deferred: true,
  group: 'page',
  pageAction: 'open-url',
  touches: ({ url }) => [{ kind: 'url', url: urlAddress(url) }],
  validate({ url }) {
    try {
      pageAddress(url)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  },
  title: ({ url, title }) => `Open ${title ?? url}`,
  permission: ({ url }) => ({ title: 'Open a web page for you', summary: urlAddress(url) }),
  async execute({ url, title, timeoutSec: seconds }, ctx) {
    const { href } = pageAddress(url)
    const request = {
      action: 'open-url',
      input: { url: href, title },
      title: `Open ${href}`,
      timeoutSec: seconds,
    }
    const page = await askPage(ctx, request, opened)
    if (page.loaded !== false) return page
    throw new Error(
      [
        `${page.url} could not be read.`,
        page.note,
        `The user has a link to it next to the chat (view ${page.viewKey}).`,
      ]
        .filter((one) => one !== undefined && one !== '')
        .join(' '),
    )
  },
  toModel: ({ url, viewKey, loaded, note }) => {
    const state = loaded === undefined ? 'It is unknown whether it has loaded.' : 'It has loaded.'
    return [`${url} is open next to the chat (view ${viewKey}). ${state}`, ...(note === undefined ? [] : [note])].join(
      ' ',
    )
  },
  display: ({ url }) => ({ title: 'Opened a web page', summary: url }),
})

/** Completes the URL if possible, so that the user approves exactly what is opened. */
function urlAddress(url: string): string {
  try {
    return pageAddress(url).href
  } catch {
    return url
  }
}
