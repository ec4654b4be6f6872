import { decodeRtf } from './text-decoder.ts'
import { rtfTokens } from './tokens.ts'

/** The HTML that a mail program wrapped into RTF. Undefined if there is none. */
export function htmlInRtf(bytes: Buffer): string | undefined {
  if (!bytes.toString('latin1', 0, 4000).includes('\\fromhtml')) return undefined
  const stack: { isTag: boolean; isSkipped: boolean }[] = []
  let state = { isTag: false, isSkipped: false }
  let isRtfOnly = false
  let isStar = false
  let page = 1252
  let toSkip = 0
  let html = ''
  let pending: number[] = []
  const flush = (): void => {
    if (pending.length > 0) html += decodeRtf(Uint8Array.from(pending), undefined, page)
    pending = []
  }
  const isShown = (): boolean => !state.isSkipped && (state.isTag || !isRtfOnly)
  for (const token of rtfTokens(bytes)) {
    switch (token.kind) {
      case 'open':
        flush()
        stack.push({ ...state })
        isStar = false
        break
      case 'close':
        flush()
        state = stack.pop() ?? state
        break
      case 'byte':
        if (toSkip > 0) toSkip--
        else if (isShown()) pending.push(token.code)
        break
      case 'text': {
        const text = token.bytes.subarray(Math.min(toSkip, token.bytes.length))
        toSkip = 0
        if (isShown()) for (const code of text) pending.push(code)
        break
      }
      case 'symbol':
        flush()
        if (token.name === '*') isStar = true
        else if ('\\{}'.includes(token.name) && isShown()) html += token.name
        else if (token.name === '~' && isShown()) html += '&nbsp;'
        break
      case 'word': {
        flush()
        const { name, value } = token
        if (name === 'ansicpg') page = value ?? 1252
        else if (name === 'htmltag') state.isTag = true
        else if (name === 'htmlrtf') isRtfOnly = value !== 0
        else if (isStar || ['fonttbl', 'colortbl', 'stylesheet', 'info', 'pict'].includes(name)) state.isSkipped = true
        else if (isShown()) {
          if (name === 'par' || name === 'line') html += '\n'
          else if (name === 'tab') html += '\t'
          else if (name === 'u') {
            html += String.fromCharCode(((value ?? 63) + 0x10000) % 0x10000)
            toSkip = 1
          }
        }
        isStar = false
        break
      }
    }
  }
  flush()
  return html
}
