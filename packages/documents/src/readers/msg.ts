import { mailBlocks } from '../mail/mail-lines.ts'
import { outlookMessage } from '../mail/outlook-message.ts'
import { compoundSource, openCompoundSource } from '../ole/compound-source.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks } from '../text/blocks.ts'
import { countOf } from '../text/parts.ts'

const title = 'an Outlook message'

export default defineReader({
  title,
  extensions: ['msg', 'oft'],
  mediaTypes: ['application/vnd.ms-outlook'],
  matches: async (head, source) => (await compoundSource(head, source))?.has('__properties_version1.0') === true,
  async read(source, part) {
    const mail = outlookMessage(await openCompoundSource(source))
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
