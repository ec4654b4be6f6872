import { htmlBlocks } from '../html/html-blocks.ts'
import type { Block } from '../text/blocks.ts'
import { markdownLink, oneLine, shownName } from '../text/markdown.ts'
import { sizeOf } from '../text/parts.ts'

/** A message of any mail format. */
export interface Mail {
  from: string
  to: string
  cc: string
  bcc?: string
  subject: string
  /** As in the message. */
  date: string
  text: string | undefined
  html: string | undefined
  attachments: readonly MailAttachment[]
}

export interface MailAttachment {
  name: string
  type: string
  size: number
}

/** The head, the body and the attachments of a message as blocks. The formatted body wins over the plain one. */
export function mailBlocks(mail: Mail): { blocks: Block[]; hasHidden: boolean } {
  const head = [
    ['From', mail.from],
    ['To', mail.to],
    ['Cc', mail.cc],
    ['Bcc', mail.bcc ?? ''],
    ['Date', mail.date],
    ['Subject', mail.subject],
  ].flatMap(([name, value]) =>
    value === undefined || value.trim() === '' ? [] : [`${name}: ${oneLine(value).slice(0, 5000)}`],
  )
  const html = mail.html === undefined || mail.html.trim() === '' ? undefined : htmlBlocks(mail.html)
  const body = html !== undefined && html.blocks.length > 0 ? html.blocks : textBlocks(mail.text ?? '')
  const attachments = mail.attachments.map(
    ({ name, type, size }) =>
      `- ${shownName(oneLine(name)) || '(no name)'} (${type === '' ? '' : `${shownName(type)}, `}${sizeOf(size)})`,
  )
  return {
    blocks: [
      { text: head.join('\n') },
      ...body,
      ...(attachments.length === 0 ? [] : [{ text: ['Attachments:', ...attachments].join('\n') }]),
    ],
    hasHidden: html?.hasHidden ?? false,
  }
}

/** Paragraphs of a plain text. */
export function textBlocks(text: string): Block[] {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .split(/\n[ \t]*\n/)
    .map((paragraph) => ({
      text: paragraph.replace(/<(https?:[^>\s]+)>/g, (_, url: string) => markdownLink(url, url)).trim(),
    }))
    .filter((block) => block.text !== '')
}
