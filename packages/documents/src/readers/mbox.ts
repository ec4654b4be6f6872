import type { DocumentPart } from '@troupe/core'
import { mailBlocks } from '../mail/mail-lines.ts'
import { parseMail } from '../mail/parse-mail.ts'
import { type MailboxMessage, splitMailbox } from '../mail/split-mailbox.ts'
import { defineReader, type DocumentReading, type DocumentSource, maxCharacters } from '../reader.ts'
import { oneLine } from '../text/markdown.ts'
import { answerPages } from '../text/pages.ts'
import { checkParts, countOf } from '../text/parts.ts'

const title = 'a mailbox'
const maxMessageBytes = 50 * 2 ** 20
const listed = 500

export default defineReader({
  title,
  extensions: ['mbox', 'mbx'],
  mediaTypes: ['application/mbox'],
  // Single messages sometimes keep the line that separates them in a mailbox.
  matches: (head, { name }) =>
    !/\.eml$/i.test(name) && /^From \S+ [^\n]*\d\d:\d\d/.test(head.toString('latin1', 0, 500)),
  async read(source, part) {
    checkParts(part, title, ['pages', 'offset', 'limit'], 'Use "offset" for the list, and "pages" for a message.')
    const messages = await splitMailbox(source)
    return part.pages === undefined ? listMessages(source, messages, part) : readMessage(source, messages, part)
  },
})

/** Messages by number, without their bodies. */
async function listMessages(
  source: DocumentSource,
  messages: readonly MailboxMessage[],
  { offset = 1, limit = listed }: DocumentPart,
): Promise<DocumentReading> {
  const lines: string[] = []
  let characters = 0
  let at = offset - 1
  for (; at < messages.length && at < offset - 1 + limit && !source.isLate(); at++) {
    const { start, end } = messages[at]!
    // The head of a message is enough for its line.
    const head = await source.bytesAt(start, Math.min(end - start, 2 ** 14))
    const mail = await parseMail(headOf(head))
    const line = `[message ${at + 1}] ${oneLine(mail.date)} | ${oneLine(mail.from).slice(0, 200)} | ${oneLine(mail.subject).slice(0, 300)}`
    characters += line.length + 1
    if (characters > maxCharacters) break
    lines.push(line)
  }
  return {
    facts: countOf(messages.length, 'message'),
    notes: ['Read a message with "pages" and its number.'],
    text: lines.join('\n'),
    next: at < messages.length ? { offset: at + 1 } : undefined,
  }
}

function headOf(bytes: Buffer): Buffer {
  const end = /\r?\n\r?\n/.exec(bytes.toString('latin1'))
  return end === null ? bytes : bytes.subarray(0, end.index + end[0].length)
}

/** One message at a time, since a body may be long. */
function readMessage(
  source: DocumentSource,
  messages: readonly MailboxMessage[],
  part: DocumentPart,
): Promise<DocumentReading> {
  if (!/^\s*\d+\s*$/.test(part.pages ?? '')) throw new Error('Read one message at a time, such as "pages": "5".')
  return answerPages(
    {
      unit: 'message',
      count: messages.length,
      facts: [],
      async page(number) {
        const { start, end } = messages[number - 1]!
        if (end - start > maxMessageBytes) return `## [message ${number}]\n(too large to read: ${end - start} bytes)`
        // Lines of a body that start with "From " are quoted in a mailbox.
        const bytes = await source.bytesAt(start, end - start)
        const raw = Buffer.from(bytes.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1')
        const { blocks } = mailBlocks(await parseMail(raw))
        return [`## [message ${number}]`, ...blocks.map(({ text }) => text)].join('\n')
      },
    },
    part,
    title,
  )
}
