import type { Action } from '../page-tools/actions.ts'

const most = 1_000_000

/** Runs only after a user click. The browser may also ask for permission. */
const readClipboard: Action = async () => {
  const text = await navigator.clipboard.readText().catch(() => {
    throw new Error('The browser did not let the page read the clipboard.')
  })
  if (text.length > most) throw new Error(`The clipboard holds ${text.length} characters, more than can be shared.`)
  return { text }
}

export default readClipboard
