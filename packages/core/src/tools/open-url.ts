import { z } from 'zod'
import { askPage, pageAddress, timeoutSec } from '../page/ask-page.ts'
import { defineTool } from '../tool/tool.ts'

const input = z.object({
  url: z.string().min(1).max(2000).describe('The address; https:// is added where no scheme is given'),
  title: z.string().max(200).describe('What the tab is called').optional(),
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
  description: `Opens a page of the web for the person, in a panel beside the chat: as readable text, with a link to the page itself. It is for the person to see; to read a page yourself use WebFetch. Waits until it has loaded, or says that this cannot be observed.`,
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
  permission: ({ url }) => ({ title: 'Open a page for you', summary: urlAddress(url) }),
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
        `The person has a link to it beside the chat (view ${page.viewKey}).`,
      ]
        .filter((one) => one !== undefined && one !== '')
        .join(' '),
    )
  },
  toModel: ({ url, viewKey, loaded, note }) => {
    const state = loaded === undefined ? 'Whether it has loaded cannot be observed.' : 'It has loaded.'
    return [`${url} is open beside the chat (view ${viewKey}). ${state}`, ...(note === undefined ? [] : [note])].join(
      ' ',
    )
  },
  display: ({ url }) => ({ title: 'Opened a page', summary: url }),
})

/** Completes the URL if possible, so that the user approves exactly what is opened. */
function urlAddress(url: string): string {
  try {
    return pageAddress(url).href
  } catch {
    return url
  }
}
