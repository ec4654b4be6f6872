import { type Component, type ContentLine, lineOf, parseComponents, valueOf } from '../calendar/content-lines.ts'
import { recurrenceText } from '../calendar/recurrence.ts'
import { defineReader } from '../reader.ts'
import { answerBlocks } from '../text/blocks.ts'
import { decodeBytes } from '../text/decode.ts'
import { oneLine } from '../text/markdown.ts'
import { countOf } from '../text/parts.ts'

const title = 'a calendar'
const maxBytes = 50 * 2 ** 20
const kinds = new Set(['VEVENT', 'VTODO', 'VJOURNAL'])

export default defineReader({
  title,
  extensions: ['ics', 'ical', 'ifb', 'vcs'],
  mediaTypes: ['text/calendar'],
  matches: (head) => /^\uFEFF?\s*BEGIN:VCALENDAR/i.test(head.toString('utf8', 0, 100)),
  async read(source, part) {
    const calendars = parseComponents(decodeBytes(await source.bytes(maxBytes)))
    const items = calendars.flatMap(({ children }) => children.filter(({ name }) => kinds.has(name)))
    // Without a time, such as most tasks, they come last.
    const sorted = items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : sortKey(a) > sortKey(b) ? 1 : 0))
    const names = calendars.map((calendar) => valueOf(calendar, 'X-WR-CALNAME')).filter((name) => name !== '')
    const events = items.filter(({ name }) => name === 'VEVENT').length
    return answerBlocks(
      {
        blocks: sorted.map((item) => ({ text: itemText(item) })),
        facts: [
          names[0] !== undefined && `"${oneLine(names[0])}"`,
          countOf(events, 'event'),
          items.length > events && countOf(items.length - events, 'task or note', 'tasks and notes'),
        ],
        notes: ['Each paragraph is one entry, in order of time.'],
      },
      part,
      title,
    )
  },
})

function sortKey(item: Component): string {
  return (lineOf(item, 'DTSTART') ?? lineOf(item, 'DUE'))?.value.replace(/\W/g, '') ?? '~'
}

function itemText(item: Component): string {
  const kind = item.name === 'VTODO' ? 'Task: ' : item.name === 'VJOURNAL' ? 'Note: ' : ''
  const start = lineOf(item, 'DTSTART')
  const end = lineOf(item, 'DTEND') ?? lineOf(item, 'DUE')
  const duration = valueOf(item, 'DURATION')
  const until = end === undefined ? (duration === '' ? '' : ` for ${duration}`) : ` to ${timeText(end, true)}`
  const time = start === undefined ? (end === undefined ? '' : `due ${timeText(end)}`) : `${timeText(start)}${until}`
  const rule = lineOf(item, 'RRULE')
  const attendees = item.lines.filter(({ name }) => name === 'ATTENDEE').map(personText)
  const organizer = lineOf(item, 'ORGANIZER')
  const exceptions = item.lines.filter(({ name }) => name === 'EXDATE').map((line) => timeText(line))
  return [
    `${kind}**${oneLine(valueOf(item, 'SUMMARY')) || '(no title)'}**${time === '' ? '' : `, ${time}`}`,
    rule !== undefined && `Repeats ${recurrenceText(rule.value)}`,
    exceptions.length > 0 && `Except ${exceptions.slice(0, 50).join(', ')}`,
    lineOf(item, 'RECURRENCE-ID') !== undefined &&
      `Replaces the occurrence of ${timeText(lineOf(item, 'RECURRENCE-ID')!)}`,
    valueOf(item, 'STATUS') !== '' && `Status: ${valueOf(item, 'STATUS').toLowerCase()}`,
    valueOf(item, 'LOCATION') !== '' && `Where: ${oneLine(valueOf(item, 'LOCATION'))}`,
    organizer !== undefined && `Organizer: ${personText(organizer)}`,
    attendees.length > 0 && `Attendees: ${attendees.slice(0, 100).join(', ')}`,
    valueOf(item, 'URL') !== '' && `URL: ${oneLine(valueOf(item, 'URL'))}`,
    valueOf(item, 'DESCRIPTION'),
  ]
    .filter((line) => line !== false && line !== '')
    .join('\n')
}

/** `2026-01-02 10:00 (Europe/Berlin)`. An end without a time is the day after the last day. */
function timeText({ value, parameters }: ContentLine, isEnd = false): string {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?/.exec(value.trim())
  if (match === null) return oneLine(value).slice(0, 100)
  const [, year, month, day, hour, minute, , utc] = match
  const date = `${year}-${month}-${day}`
  if (hour === undefined) return isEnd ? `${date} (not included)` : date
  const zone = utc === undefined ? parameters['TZID'] : 'UTC'
  return `${date} ${hour}:${minute}${zone === undefined ? '' : ` (${oneLine(zone).slice(0, 60)})`}`
}

function personText({ value, parameters }: ContentLine): string {
  const address = value.replace(/^mailto:/i, '').trim()
  const name = parameters['CN'] ?? ''
  const answer = parameters['PARTSTAT']?.toLowerCase().replaceAll('-', ' ')
  const person = name === '' || name === address ? address : `${name} <${address}>`
  return `${oneLine(person).slice(0, 200)}${answer === undefined ? '' : ` (${answer})`}`
}
