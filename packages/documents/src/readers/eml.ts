import { parseMail } from '../mail/parse-mail.ts'
import { mailBlocks } from '../mail/mail-lines.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks } from '../text/blocks.ts'
import { countOf } from '../text/parts.ts'

const title = 'an email message'
const maxBytes = 50 * 2 ** 20

export default defineReader({
  title,
  extensions: ['eml', 'mht', 'mhtml'],
  mediaTypes: ['message/rfc822'],
  looksLike: isMessage,
  async read(source, part) {
    const mail = await parseMail(await source.bytes(maxBytes))
    const { blocks, hasHidden } = mailBlocks(mail)
    return answerBlocks(
      {
        blocks,
        facts: [mail.attachments.length > 0 && countOf(mail.attachments.length, 'attachment')],
        notes: [hasHidden && 'Text that a mail program does not show was left out.'],
      },
      part,
      title,
    )
  },
})

/** A message starts with header lines, of which at least two are known. A saved web page has the type of its parts. */
function isMessage(text: string): boolean {
  const [head = ''] = text.trimStart().split(/\r?\n\r?\n/, 1)
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  if (!lines.slice(0, -1).every((line, index) => /^[!-9;-~]+:/.test(line) || (index === 0 && /^>?From /.test(line))))
    return false
  const known =
    /^(from|to|date|subject|message-id|mime-version|received|return-path|delivered-to|content-type|content-location):/i
  return lines.filter((line) => known.test(line)).length >= 2
}
