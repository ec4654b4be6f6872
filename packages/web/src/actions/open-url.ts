import { textIn, webAddress } from '../api/read-fields.ts'
import { type Action, isLocalAddress } from '../page-tools/actions.ts'

/** Opens the URL in the browser panel and returns when the page has loaded. */
const openUrl: Action = async (input, { panels, reader }) => {
  const address = webAddress(input['url'])
  const url = address === undefined ? undefined : new URL(address.href)
  if (address === undefined || url === undefined || url.username !== '' || url.password !== '')
    throw new Error('Can’t open this address. Use http or https, without a password.')
  const { href } = url
  const title = textIn(input['title']) ?? address.host
  const viewKey = panels.open({ kind: 'browser', key: href, title, data: { url: href } }, { by: 'tool' })
  if (isLocalAddress(href))
    return {
      url: href,
      viewKey,
      note: 'This page is on the user’s machine. The user has a link that opens it in a new tab.',
    }
  try {
    const page = await reader.read(href)
    if (page.title !== '' && textIn(input['title']) === undefined) panels.change(viewKey, { title: page.title })
    const isGood = page.status < 400
    return { url: href, viewKey, loaded: isGood, note: isGood ? undefined : `It answered ${page.status}.` }
  } catch (error) {
    return { url: href, viewKey, loaded: false, note: error instanceof Error ? error.message.slice(0, 2000) : '' }
  }
}

export default openUrl
