import type { Action } from '../page-tools/actions.ts'

const most = 1_000_000

/** Only ever after a click of the person's; the browser may ask, too. */
const readClipboard: Action = async () => {
  const text = await navigator.clipboard.readText().catch(() => {
    throw new Error('The browser did not let the page read the clipboard.')
  })
  if (text.length > most) throw new Error(`The clipboard holds ${text.length} characters, more than can be shared.`)
  return { text }
}

export default readClipboard
