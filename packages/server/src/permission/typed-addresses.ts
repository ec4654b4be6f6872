import { createHmac } from 'node:crypto'
import { extractUrls, normalizeUrl, type Metadata, type Part, type StoredMessage } from '@troupe/core'

/**
 * The addresses that a person typed, as they are stored with the message. They are sealed for one message of one session:
 * a fork, an import or a copy does not carry them over.
 */
export interface TypedAddresses {
  /** Undefined where no address was typed. */
  seal(at: MessageRef, parts: readonly Part[], claimed: readonly string[] | undefined): Metadata['typed'] | undefined
  read(sessionId: string, message: Pick<StoredMessage, 'id' | 'role' | 'metadata'>): string[]
}

interface MessageRef {
  sessionId: string
  messageId: string
}

export function createTypedAddresses(secret: string): TypedAddresses {
  const key = createHmac('sha256', secret).update('typed addresses').digest()
  const sealOf = ({ sessionId, messageId }: MessageRef, addresses: readonly string[]): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([sessionId, messageId, addresses]))
      .digest('base64url')
  return {
    seal(at, parts, claimed) {
      const addresses = parts.flatMap((part) => (part.type === 'text' ? claimedAddresses(part.text, claimed) : []))
      return addresses.length === 0 ? undefined : { addresses, seal: sealOf(at, addresses) }
    },
    read(sessionId, { id, role, metadata }) {
      const typed = role === 'user' ? metadata?.typed : undefined
      return typed?.seal === undefined || typed.seal !== sealOf({ sessionId, messageId: id }, typed.addresses)
        ? []
        : typed.addresses
    },
  }
}

/** Of the addresses that a client says were typed, those that stand in the text and outside of its quotations. */
export function claimedAddresses(text: string, claimed: readonly string[] | undefined): string[] {
  const wanted = new Set(claimed?.map((address) => normalizeUrl(address)))
  return extractUrls(text).filter((address) => wanted.has(address))
}
