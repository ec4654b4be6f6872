import { extractUrls } from '@troupe/core/protocol'

/**
 * Addresses that the person typed in this tab, or pasted alone, as one copies an address: an agent may open exactly
 * these unasked. Those that came with a pasted text, a quotation or a template are words of others.
 */
export interface TypedAddressTracker {
  /** A field has changed by the person's hand. `caret`: where the change ends. */
  note: (before: string, after: string, change: { inputType: string; caret: number }) => void
  /** Those of a message. */
  in: (text: string) => string[]
}

const mostAddresses = 200
/** One key, one word of a method of input, or a piece that was taken away. */
const byHand = /^(?:insertText|insertCompositionText|insertFromComposition|insertReplacementText|delete.*)$/

export function createTypedAddresses(): TypedAddressTracker {
  const typed = new Set<string>()
  return {
    note(before, after, { inputType, caret }) {
      const known = extractUrls(before)
      const now = extractUrls(after)
      const [added, ...more] = now.filter((address) => !known.includes(address))
      if (added === undefined || more.length > 0) return
      const inserted = after.slice(caret - Math.max(0, after.length - before.length), caret).trim()
      const isAlone = extractUrls(inserted)[0] === added && !/\s/.test(inserted)
      // What an address grew from must have been typed itself.
      const changed = known.filter((address) => !now.includes(address))
      const isGrown = byHand.test(inputType) && !inserted.includes('://') && changed.every((one) => typed.has(one))
      if (!isAlone && !isGrown) return
      for (const address of changed) typed.delete(address)
      typed.add(added)
      if (typed.size > mostAddresses) typed.delete(typed.values().next().value as string)
    },
    in: (text) => extractUrls(text).filter((address) => typed.has(address)),
  }
}

/** Those of this tab. */
export const typedAddresses = createTypedAddresses()
