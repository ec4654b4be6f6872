import type { Action } from '../page-tools/actions.ts'

const most = 1_000_000

/** Runs only after a user click. The browser may also ask for permission. */
const readClipboard: Action = async () => {
  const text = await navigator.clipboard.readText().catch(() => {
    throw new Error('The browser blocked access to the clipboard.')
  })
  if (text.length > most) throw new Error(`The clipboard has ${text.length} characters. The limit is ${most}.`)
  return { text }
}

export default readClipboard
