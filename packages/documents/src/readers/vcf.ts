import { type Component, type ContentLine, parseComponents, unescapeText, valueOf } from '../calendar/content-lines.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks } from '../text/blocks.ts'
import { decodeBytes, decodeCharset } from '../text/decode.ts'
import { oneLine } from '../text/markdown.ts'
import { countOf } from '../text/parts.ts'

const title = 'a contact file'
const maxBytes = 50 * 2 ** 20
const labels: Readonly<Record<string, string>> = {
  ORG: 'Organization',
  TITLE: 'Job',
  ROLE: 'Role',
  EMAIL: 'Email',
  TEL: 'Phone',
  ADR: 'Address',
  URL: 'URL',
  BDAY: 'Birthday',
  ANNIVERSARY: 'Anniversary',
  NICKNAME: 'Nickname',
  IMPP: 'Messenger',
  CATEGORIES: 'Groups',
  GEO: 'Place',
  NOTE: 'Note',
}

export default defineReader({
  title,
  extensions: ['vcf', 'vcard'],
  mediaTypes: ['text/vcard'],
  matches: (head) => /^\uFEFF?\s*BEGIN:VCARD/i.test(head.toString('utf8', 0, 100)),
  async read(source, part) {
    // Old cards fold quoted-printable lines with an equals sign.
    const text = decodeBytes(await source.bytes(maxBytes)).replace(/=\r?\n(?=[^\n]*(=[0-9A-F]{2}|\n))/g, '')
    const cards = parseComponents(text).filter(({ name }) => name === 'VCARD')
    return answerBlocks(
      {
        blocks: cards.map((card) => ({ text: cardText(card) })),
        facts: [countOf(cards.length, 'contact')],
        notes: ['Each paragraph is one contact.'],
      },
      part,
      title,
    )
  },
})

function cardText(card: Component): string {
  const name =
    lineText(card.lines.find((line) => line.name === 'FN')) ||
    structured(lineText(card.lines.find((line) => line.name === 'N')))
  const lines = card.lines.flatMap((line) => {
    const label = labels[line.name]
    if (label === undefined) return []
    const types = Object.entries(line.parameters)
      .filter(([key, value]) => key === 'TYPE' || (value === '' && !/^(PREF|QUOTED-PRINTABLE|BASE64)$/.test(key)))
      .map(([key, value]) => (value === '' ? key : value))
      .join(',')
      .toLowerCase()
    const value = line.name === 'ADR' || line.name === 'ORG' ? structured(lineText(line)) : lineText(line)
    return value === ''
      ? []
      : [`${label}${types === '' ? '' : ` (${oneLine(types).slice(0, 60)})`}: ${value.slice(0, 5000)}`]
  })
  const hasPhoto = card.lines.some((line) => line.name === 'PHOTO')
  return [
    `**${oneLine(name) || valueOf(card, 'UID') || '(no name)'}**`,
    ...lines,
    ...(hasPhoto ? ['[picture]'] : []),
  ].join('\n')
}

function lineText(line: ContentLine | undefined): string {
  if (line === undefined) return ''
  const isQuoted =
    line.parameters['ENCODING']?.toUpperCase() === 'QUOTED-PRINTABLE' || 'QUOTED-PRINTABLE' in line.parameters
  if (!isQuoted) return unescapeText(line.value).trim()
  const bytes = Buffer.from(
    Buffer.from(line.value, 'utf8')
      .toString('latin1')
      .replace(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
  return unescapeText(decodeCharset(bytes, line.parameters['CHARSET'] ?? 'utf-8')).trim()
}

/** Parts that are separated by semicolons, such as those of an address. */
function structured(value: string): string {
  return value
    .split(';')
    .map((part) => oneLine(part))
    .filter((part) => part !== '')
    .join(', ')
}
