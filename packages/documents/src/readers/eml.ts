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
