import type { Address, Email } from 'postal-mime'
import type { Mail } from './mail-lines.ts'

/** Parses a message in MIME format. */
export async function parseMail(bytes: Uint8Array): Promise<Mail> {
  const { default: PostalMime } = await import('postal-mime')
  let mail: Email
  try {
    mail = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer', maxNestingDepth: 50 })
  } catch (error) {
    throw new Error(`The message cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  return {
    from: people([mail.from ?? mail.sender]),
    to: people(mail.to ?? []),
    cc: people(mail.cc ?? []),
    bcc: people(mail.bcc ?? []),
    subject: mail.subject ?? '',
    date: mail.date ?? '',
    text: mail.text,
    html: mail.html,
    attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? '',
      type: mimeType,
      size: typeof content === 'string' ? content.length : content.byteLength,
    })),
  }
}

function people(addresses: readonly (Address | undefined)[]): string {
  return addresses
    .flatMap((each) => (each === undefined ? [] : each.group === undefined ? [each] : each.group))
    .map(({ name, address }) => (name === '' || name === address ? address : `${name} <${address}>`))
    .join(', ')
}
